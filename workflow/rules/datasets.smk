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
        spec=find_spec("fetch"),
        job=write_job_file("fetch"),
    message:
        "fetching {wildcards.fetched}"
    shell:
        DO_JOB


rule prepare:
    input:
        list_inputs("prepare"),
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
        spec=find_spec("prepare"),
        versions=find_versions("prepare"),
        job=write_job_file("prepare"),
    message:
        "{wildcards.dataset}: preparing ({wildcards.steps})"
    shell:
        DO_JOB
