# Stage 2: base clusterings of every case.


rule base_clusterings:
    input:
        data=lambda w: PLAN.prepared_file(PLAN.studies[w.study].case(w.case)),
        ready=lambda w: PLAN.ready_file(w.study, w.case),
    output:
        named("results/ensembles/{study}/{case}.npz"),
    log:
        "logs/{study}/ensembles/{case}.log",
    benchmark:
        "results/{study}/benchmarks/ensembles/{case}.tsv"
    priority: 2  # then all consensus jobs can start, the longest first
    group:
        "case"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_ensemble(w.study, w.case)),
        runtime=minutes(lambda w: PLAN.need_of_ensemble(w.study, w.case)),
    params:
        spec=lambda w: PLAN.ensemble(w.study, w.case).json_text,
        ready=lambda w: "--ready" if PLAN.ready_file(w.study, w.case) else "",
    message:
        "{wildcards.study}: base clusterings of {wildcards.case}"
    shell:
        "python -m consclust_studies --log {log:q} ensembles --spec {params.spec:q} --data {input.data:q}"
        " {params.ready} {input.ready:q} --out {output:q}"
