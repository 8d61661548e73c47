# Stage 1: features and classes, checked against the registered shape.


rule fetch:
    output:
        raw=named("data/raw/{fetched}", fetched=PLAN.fetched_files(here=not STORED)),
    log:
        paths.LOGS["fetch"],
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        spec=spec_of("fetch"),
        job=file_of("fetch"),
    message:
        "fetching {wildcards.fetched}"
    shell:
        DO_JOB


rule prepare:
    input:
        inputs_of("prepare"),
    output:
        prepared=named(paths.PREPARED),
    log:
        paths.LOGS["prepare"],
    priority: 2
    group:
        "case"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("prepare"),
        runtime=minutes("prepare"),
    params:
        spec=spec_of("prepare"),
        versions=versions_of("prepare"),
        job=file_of("prepare"),
    message:
        "{wildcards.dataset}: preparing ({wildcards.steps})"
    shell:
        DO_JOB
