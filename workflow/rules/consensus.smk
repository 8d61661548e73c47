# Stage 3: one method on one case, its grid, over a block of subsets.


rule consensus:
    input:
        list_inputs("consensus"),
    output:
        labels=named(paths.LABELS),
        runtime=named(paths.RUNTIME),
    log:
        paths.LOGS["consensus"],
    benchmark:
        "results/{study}/benchmarks/consensus/{case}/{method}/{block}.tsv"
    priority: longest_first("consensus")
    group:
        with_its_case
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("consensus"),
        runtime=minutes("consensus"),
    params:
        spec=find_spec("consensus"),
        versions=find_versions("consensus"),
        job=write_job_file("consensus"),
    message:
        "{wildcards.study}: {wildcards.method} on {wildcards.case}, subsets {wildcards.block}"
    shell:
        DO_JOB
