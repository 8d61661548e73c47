# Stage 1: features and classes, checked against the registered shape.


rule fetch:
    output:
        named("data/raw/{fetched}", fetched=PLAN.fetched_files(here=not STORED)),
    log:
        "logs/datasets/fetch/{fetched}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        dataset=lambda w: Path(w.fetched).parent.name,
        file=lambda w: Path(w.fetched).name,
        sha256=lambda w: PLAN.checksum(*w.fetched.split("/")),
    message:
        "fetching {wildcards.fetched}"
    shell:
        "python -m consclust_studies --log {log:q} datasets fetch {params.dataset:q} {params.file:q} --to {output:q} --placed data/raw/{wildcards.fetched:q}"


rule prepare:
    input:
        lambda w: PLAN.raw_files(w.dataset, PLAN.registry[w.dataset].prepared_from),
    output:
        named("data/prepared/{dataset}/{steps}.npz"),
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
        "python -m consclust_studies --log {log:q} datasets prepare --spec {params.spec:q} --out {output:q} {input:q}"
