# Beside the studies: the consensus of a label matrix that comes in pieces, data/labels/{matrix}/{piece}.parquet.


rule profiles:
    input:
        "data/labels/{matrix}/{piece}.parquet",
    output:
        named("results/labels/{matrix}/profiles/{piece}.npz"),
    log:
        "logs/labels/{matrix}/profiles/{piece}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=lambda w: PLAN.profiles_of_labels().json_text,
    message:
        "{wildcards.matrix}: profiles of {wildcards.piece}"
    shell:
        "python -m consclust_studies --log {log:q} labels profiles --spec {params.spec:q} --out {output:q} {input:q}"


rule merge:
    input:
        or_stop(lambda w: [f"results/labels/{w.matrix}/profiles/{piece}.npz" for piece in pieces_of(w.matrix)]),
    output:
        named("results/labels/{matrix}/profiles.npz"),
    log:
        "logs/labels/{matrix}/merge.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=lambda w: PLAN.merge_of_labels(w.matrix).json_text,
    message:
        "{wildcards.matrix}: merging the profiles"
    shell:
        "python -m consclust_studies --log {log:q} labels merge --spec {params.spec:q} --out {output:q} {input:q}"


rule consensus_of_labels:
    input:
        "results/labels/{matrix}/profiles.npz",
    output:
        named("results/labels/{matrix}/{method}-{k}.npz"),
    log:
        "logs/labels/{matrix}/{method}-{k}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=or_stop(lambda w: PLAN.labels(w.matrix, w.method, w.k).json_text),
    message:
        "{wildcards.matrix}: {wildcards.method} with {wildcards.k} clusters"
    shell:
        "python -m consclust_studies --log {log:q} labels consensus --spec {params.spec:q} --merged {input:q} --out {output:q}"


rule label:
    input:
        consensus="results/labels/{matrix}/{method}-{k}.npz",
        merged="results/labels/{matrix}/profiles.npz",
        piece="results/labels/{matrix}/profiles/{piece}.npz",
    output:
        named("results/labels/{matrix}/{method}-{k}/{piece}.parquet"),
    log:
        "logs/labels/{matrix}/{method}-{k}/{piece}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=or_stop(lambda w: PLAN.labels(w.matrix, w.method, w.k).json_text),
    message:
        "{wildcards.matrix}: labels of {wildcards.piece}"
    shell:
        "python -m consclust_studies --log {log:q} labels label --spec {params.spec:q} --consensus {input.consensus:q}"
        " --merged {input.merged:q} --out {output:q} {input.piece:q}"


rule sizes_of_clusters:
    input:
        or_stop(
            lambda w: [f"results/labels/{w.matrix}/{w.method}-{w.k}/{piece}.parquet" for piece in pieces_of(w.matrix)]
        ),
    output:
        named("results/labels/{matrix}/{method}-{k}.csv"),
    log:
        "logs/labels/{matrix}/{method}-{k}.sizes.log",
    conda:
        "../../envs/environment.yaml"
    message:
        "{wildcards.matrix}: sizes of the clusters of {wildcards.method}"
    shell:
        "python -m consclust_studies --log {log:q} labels sizes --out {output:q} {input:q}"
