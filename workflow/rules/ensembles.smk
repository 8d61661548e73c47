# Stage 2: base clusterings of every case.


rule base_clusterings:
    input:
        inputs_of("base_clusterings"),
    output:
        ensemble=named(paths.ENSEMBLE),
    log:
        paths.LOGS["base_clusterings"],
    benchmark:
        "results/{study}/benchmarks/ensembles/{case}.tsv"
    priority: 2  # then all consensus jobs can start, the longest first
    group:
        "case"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("base_clusterings"),
        runtime=minutes("base_clusterings"),
    params:
        spec=spec_of("base_clusterings"),
        versions=versions_of("base_clusterings"),
        job=file_of("base_clusterings"),
    message:
        "{wildcards.study}: base clusterings of {wildcards.case}"
    shell:
        DO_JOB
