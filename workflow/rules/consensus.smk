# Stage 3: one method on one case, its grid, over a block of subsets.


rule consensus:
    input:
        ensemble="results/ensembles/{study}/{case}.npz",
        data=lambda w: PLAN.features_file(w.study, w.case, w.method),
        race=lambda w: PLAN.race_file(w.study, w.case, w.method, w.block),
    output:
        labels=named("results/{study}/consensus/{case}/{method}/{block}.npz"),
        runtime=named("results/{study}/consensus/{case}/{method}/{block}.runtime.json"),
    log:
        "logs/{study}/consensus/{case}/{method}/{block}.log",
    benchmark:
        "results/{study}/benchmarks/consensus/{case}/{method}/{block}.tsv"
    priority: longest_first(seconds_of)
    group:
        with_its_case
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_consensus(w.study, w.case, w.method, w.block)),
        runtime=minutes(lambda w: PLAN.need_of_consensus(w.study, w.case, w.method, w.block)),
    params:
        spec=lambda w: PLAN.consensus(w.study, w.case, w.method).json_text,
        data=lambda w: "--data" if PLAN.features_file(w.study, w.case, w.method) else "",
        race=lambda w: "--race" if PLAN.race_file(w.study, w.case, w.method, w.block) else "",
    message:
        "{wildcards.study}: {wildcards.method} on {wildcards.case}, subsets {wildcards.block}"
    shell:
        "python -m consclust_studies --log {log:q} consensus --spec {params.spec:q} --subsets {wildcards.block}"
        " --ensemble {input.ensemble:q} {params.data} {input.data:q} {params.race} {input.race:q} --out {output.labels:q} --runtime {output.runtime:q}"
