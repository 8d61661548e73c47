# Beside the studies: the consensus of a label matrix that comes in pieces, data/labels/{matrix}/{piece}.parquet.


rule profiles:
    input:
        list_inputs("profiles"),
    output:
        profiles=named(paths.PIECE_PROFILES),
    log:
        paths.LOGS["profiles"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=scale_with_inputs,
    params:
        spec=find_spec("profiles"),
        versions=find_versions("profiles"),
        job=write_job_file("profiles"),
    message:
        "{wildcards.matrix}: profiles of {wildcards.piece}"
    shell:
        DO_JOB


rule summary:
    input:
        list_inputs("summary"),
    output:
        summary=named(paths.PIECE_SUMMARY),
    log:
        paths.LOGS["summary"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=2000,
    params:
        spec=find_spec("summary"),
        versions=find_versions("summary"),
        job=write_job_file("summary"),
    message:
        "{wildcards.matrix}: counts of {wildcards.piece}"
    shell:
        DO_JOB


rule merge:
    input:
        list_inputs("merge"),
    output:
        merged=named(paths.MERGED),
    log:
        paths.LOGS["merge"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=scale_with_inputs,
    params:
        spec=find_spec("merge"),
        versions=find_versions("merge"),
        job=write_job_file("merge"),
    message:
        "{wildcards.matrix}: merging the profiles"
    shell:
        DO_JOB


rule consensus_of_labels:
    input:
        list_inputs("consensus_of_labels"),
    output:
        consensus=named(paths.CONSENSUS_OF_LABELS),
    log:
        paths.LOGS["consensus_of_labels"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=scale_with_inputs,
    params:
        spec=find_spec("consensus_of_labels"),
        versions=find_versions("consensus_of_labels"),
        job=write_job_file("consensus_of_labels"),
    message:
        "{wildcards.matrix}: {wildcards.method} with {wildcards.k} clusters"
    shell:
        DO_JOB


rule label:
    input:
        list_inputs("label"),
    output:
        labels=named(paths.PIECE_LABELS),
    log:
        paths.LOGS["label"],
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=scale_with_inputs,
    params:
        spec=find_spec("label"),
        job=write_job_file("label"),
    message:
        "{wildcards.matrix}: labels of {wildcards.piece}"
    shell:
        DO_JOB


rule sizes_of_clusters:
    input:
        list_inputs("sizes_of_clusters"),
    output:
        sizes=named(paths.SIZES),
    log:
        paths.LOGS["sizes_of_clusters"],
    conda:
        "../../envs/environment.yaml"
    params:
        spec=find_spec("sizes_of_clusters"),
        job=write_job_file("sizes_of_clusters"),
    message:
        "{wildcards.matrix}: sizes of the clusters of {wildcards.method}"
    shell:
        DO_JOB
