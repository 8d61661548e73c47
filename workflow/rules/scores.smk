# Stage 4: tidy tables of scores, and the selections taken from them; {part} is empty, or /variants.


rule score:
    input:
        list_inputs("score"),
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
        spec=find_spec("score"),
        versions=find_versions("score"),
        job=write_job_file("score"),
    message:
        "{wildcards.run}{wildcards.part}: scores on {wildcards.case}"
    shell:
        DO_JOB


rule race:
    input:
        list_inputs("race"),
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
        spec=find_spec("race"),
        versions=find_versions("race"),
        job=write_job_file("race"),
    message:
        "{wildcards.study}: grid points of {wildcards.method} on {wildcards.case} that run on all subsets"
    shell:
        DO_JOB


rule collect:
    input:
        list_inputs("collect"),
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
        spec=find_spec("collect"),
        versions=find_versions("collect"),
        job=write_job_file("collect"),
    message:
        "{wildcards.run}{wildcards.part}: joining the scores, selecting parameters"
    shell:
        DO_JOB


rule unseen:
    input:
        list_inputs("unseen"),
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
        spec=find_spec("unseen"),
        versions=find_versions("unseen"),
        job=write_job_file("unseen"),
    message:
        "{wildcards.run}: unseen objects of {wildcards.case}"
    shell:
        DO_JOB
