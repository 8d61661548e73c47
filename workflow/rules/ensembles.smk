# Stage 2: base clusterings of every case.


rule base_clusterings:
    input:
        data=lambda w: prepared_file(case_of(w)),
        ready=ready_made,
    output:
        "results/ensembles/{study}/{case}.npz",
    log:
        "logs/{study}/ensembles/{case}.log",
    benchmark:
        "results/{study}/benchmarks/ensembles/{case}.tsv"
    group:
        "case"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(ensemble_need),
        runtime=minutes(ensemble_need),
    params:
        arguments=ensemble_arguments,
        file=ready_made_file,
        entry=ready_made_entry,
        code=fingerprint("concord.ensembles.command"),
    message:
        "{wildcards.study}: base clusterings of {wildcards.case}"
    shell:
        "python -m concord --log {log:q} ensembles {params.arguments} {params.file} --data {input.data:q} --out {output:q}"
