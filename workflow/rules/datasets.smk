# Stage 1: features and classes, checked against the printed table.


rule fetch:
    output:
        "data/raw/{dataset}/{file}",
    log:
        "logs/datasets/fetch/{dataset}/{file}.log",
    wildcard_constraints:
        dataset=datasets_without_files(),
        file=r"[^/]+",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "{wildcards.dataset}: fetching {wildcards.file}"
    shell:
        "python -m concord --log {log:q} datasets fetch {wildcards.dataset} {wildcards.file:q} --to {output:q}"


rule prepare:
    input:
        lambda w: raw_files(w.dataset, DATASETS[w.dataset].prepared_from),
    output:
        "data/prepared/{dataset}/{steps}.npz",
    log:
        "logs/datasets/prepare/{dataset}/{steps}.log",
    group:
        "case"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(prepare_need),
        runtime=minutes(prepare_need),
    params:
        code=fingerprint("concord.datasets.command"),
        entry=lambda w: DATASETS[w.dataset].model_dump_json(),
        steps=step_arguments,
    message:
        "{wildcards.dataset}: preparing ({wildcards.steps})"
    shell:
        "python -m concord --log {log:q} datasets prepare {wildcards.dataset} {params.steps}"
        " --out {output:q} {input:q}"
