# Stage 4: tidy tables of scores, and the selections taken from them; {part} is empty, or /variants.


rule score:
    input:
        inputs_of("score"),
    output:
        scores=named(paths.CASE_SCORES),
    log:
        paths.LOGS["score"],
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("score"),
        runtime=minutes("score"),
    params:
        spec=spec_of("score"),
        versions=versions_of("score"),
        job=file_of("score"),
    message:
        "{wildcards.run}{wildcards.part}: scores on {wildcards.case}"
    shell:
        DO_JOB


rule race:
    input:
        inputs_of("race"),
    output:
        race=named(paths.RACE),
    log:
        paths.LOGS["race"],
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("race"),
        runtime=minutes("race"),
    params:
        spec=spec_of("race"),
        versions=versions_of("race"),
        job=file_of("race"),
    message:
        "{wildcards.study}: grid points of {wildcards.method} on {wildcards.case} that run on all subsets"
    shell:
        DO_JOB


rule collect:
    input:
        inputs_of("collect"),
    output:
        scores=[named(paths.SCORES), named(paths.SCORES_CSV)],
        selected=[named(paths.SELECTED), named(paths.SELECTED_CSV)],
    log:
        paths.LOGS["collect"],
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("collect"),
        runtime=minutes("collect"),
    params:
        spec=spec_of("collect"),
        versions=versions_of("collect"),
        job=file_of("collect"),
    message:
        "{wildcards.run}{wildcards.part}: joining the scores, selecting parameters"
    shell:
        DO_JOB


rule unseen:
    input:
        inputs_of("unseen"),
    output:
        unseen=named(paths.UNSEEN),
    log:
        paths.LOGS["unseen"],
    benchmark:
        "results/{run}/benchmarks/unseen/{case}.tsv"
    priority: longest_first("unseen")
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("unseen"),
        runtime=minutes("unseen"),
    params:
        spec=spec_of("unseen"),
        versions=versions_of("unseen"),
        job=file_of("unseen"),
    message:
        "{wildcards.run}: unseen objects of {wildcards.case}"
    shell:
        DO_JOB
