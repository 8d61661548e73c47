# Beside the studies: the consensus of a label matrix that comes in pieces, data/labels/{matrix}/{piece}.parquet.


rule profiles:
    input:
        inputs_of("profiles"),
    output:
        profiles=named(paths.PIECE_PROFILES),
    log:
        paths.LOGS["profiles"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=spec_of("profiles"),
        versions=versions_of("profiles"),
        job=file_of("profiles"),
    message:
        "{wildcards.matrix}: profiles of {wildcards.piece}"
    shell:
        DO_JOB


rule merge:
    input:
        inputs_of("merge"),
    output:
        merged=named(paths.MERGED),
    log:
        paths.LOGS["merge"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=spec_of("merge"),
        versions=versions_of("merge"),
        job=file_of("merge"),
    message:
        "{wildcards.matrix}: merging the profiles"
    shell:
        DO_JOB


rule consensus_of_labels:
    input:
        inputs_of("consensus_of_labels"),
    output:
        consensus=named(paths.CONSENSUS_OF_LABELS),
    log:
        paths.LOGS["consensus_of_labels"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=spec_of("consensus_of_labels"),
        versions=versions_of("consensus_of_labels"),
        job=file_of("consensus_of_labels"),
    message:
        "{wildcards.matrix}: {wildcards.method} with {wildcards.k} clusters"
    shell:
        DO_JOB


rule label:
    input:
        inputs_of("label"),
    output:
        labels=named(paths.PIECE_LABELS),
    log:
        paths.LOGS["label"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=of_size,
    params:
        spec=spec_of("label"),
        job=file_of("label"),
    message:
        "{wildcards.matrix}: labels of {wildcards.piece}"
    shell:
        DO_JOB


rule sizes_of_clusters:
    input:
        inputs_of("sizes_of_clusters"),
    output:
        sizes=named(paths.SIZES),
    log:
        paths.LOGS["sizes_of_clusters"],
    conda:
        "../../envs/environment.yaml"
    params:
        spec=spec_of("sizes_of_clusters"),
        job=file_of("sizes_of_clusters"),
    message:
        "{wildcards.matrix}: sizes of the clusters of {wildcards.method}"
    shell:
        DO_JOB
