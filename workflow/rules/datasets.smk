# Stage 1: features and classes, checked against the registered shape.


rule fetch:
    output:
        "data/raw/{absent}",
    log:
        "logs/datasets/fetch/{absent}.log",
    wildcard_constraints:
        absent=PLAN.absent_files(),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        dataset=lambda w: Path(w.absent).parent.name,
        file=lambda w: Path(w.absent).name,
    message:
        "fetching {wildcards.absent}"
    shell:
        "python -m concord --log {log:q} datasets fetch {params.dataset:q} {params.file:q} --to {output:q}"


rule prepare:
    input:
        lambda w: PLAN.raw_files(w.dataset, PLAN.registry[w.dataset].prepared_from),
    output:
        "data/prepared/{dataset}/{steps}.npz",
    log:
        "logs/datasets/prepare/{dataset}/{steps}.log",
    priority: 2
    group:
        "case"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: needs.prepare(PLAN.shape(w.dataset))),
        runtime=minutes(lambda w: needs.prepare(PLAN.shape(w.dataset))),
    params:
        spec=lambda w: PLAN.prepare(w.dataset, w.steps).json_text,
    message:
        "{wildcards.dataset}: preparing ({wildcards.steps})"
    shell:
        "python -m concord --log {log:q} datasets prepare --spec {params.spec:q} --out {output:q} {input:q}"
