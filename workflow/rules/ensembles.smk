# Stage 2: base clusterings of every case.


rule base_clusterings:
    input:
        list_inputs("base_clusterings"),
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
        spec=find_spec("base_clusterings"),
        versions=find_versions("base_clusterings"),
        job=write_job_file("base_clusterings"),
    message:
        "{wildcards.study}: base clusterings of {wildcards.case}"
    shell:
        DO_JOB
