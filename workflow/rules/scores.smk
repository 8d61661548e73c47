# Stage 4: tidy tables of scores, and the selections taken from them; {part} is empty, or /variants.


rule score:
    input:
        ensemble=lambda w: f"results/ensembles/{PLAN.runs[w.run].id}/{w.case}.npz",
        labels=lambda w: PLAN.scored_labels(w.run, w.part, w.case),
    output:
        named("results/{run}{part}/scores/{case}.parquet"),
    log:
        "logs/{run}{part}/scores/{case}.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_score(w.run, w.part, w.case)),
        runtime=minutes(lambda w: PLAN.need_of_score(w.run, w.part, w.case)),
    params:
        spec=lambda w: PLAN.score(w.run, w.part, w.case).json_text,
    message:
        "{wildcards.run}{wildcards.part}: scores on {wildcards.case}"
    shell:
        "python -m consclust_studies --log {log:q} scores case --spec {params.spec:q} --ensemble {input.ensemble:q}"
        " --out {output:q} {input.labels:q}"


rule race:
    input:
        ensemble="results/ensembles/{study}/{case}.npz",
        labels=lambda w: PLAN.first_blocks(w.study, w.case, w.method),
    output:
        named("results/{study}/races/{case}/{method}.json"),
    log:
        "logs/{study}/races/{case}/{method}.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_race(w.study, w.case)),
        runtime=minutes(lambda w: PLAN.need_of_race(w.study, w.case)),
    params:
        spec=lambda w: PLAN.consensus(w.study, w.case, w.method).json_text,
    message:
        "{wildcards.study}: grid points of {wildcards.method} on {wildcards.case} that run on all subsets"
    shell:
        "python -m consclust_studies --log {log:q} scores race --spec {params.spec:q} --ensemble {input.ensemble:q}"
        " --out {output:q} {input.labels:q}"


rule collect:
    input:
        lambda w: PLAN.score_files(w.run, w.part),
    output:
        multiext(named("results/{run}{part}/scores"), ".parquet", ".csv"),
        multiext(named("results/{run}{part}/selected"), ".parquet", ".csv"),
    log:
        "logs/{run}{part}/scores/collect.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: needs.report(PLAN.runs[w.run])),
        runtime=minutes(lambda w: needs.report(PLAN.runs[w.run])),
    params:
        spec=lambda w: PLAN.collect(w.run, w.part).json_text,
    message:
        "{wildcards.run}{wildcards.part}: joining the scores, selecting parameters"
    shell:
        "python -m consclust_studies --log {log:q} scores collect --spec {params.spec:q} --out {output:q} --cases {input:q}"


rule unseen_objects:
    input:
        lambda w: PLAN.prepared_file(PLAN.runs[w.run].case(w.case)),
    output:
        named("results/{run}/unseen/{case}.parquet"),
    log:
        "logs/{run}/unseen/{case}.log",
    benchmark:
        "results/{run}/benchmarks/unseen/{case}.tsv"
    priority: longest_first(lambda w: PLAN.need_of_unseen(w.run, w.case).seconds)
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_unseen(w.run, w.case)),
        runtime=minutes(lambda w: PLAN.need_of_unseen(w.run, w.case)),
    params:
        spec=lambda w: PLAN.unseen(w.run, w.case).json_text,
    message:
        "{wildcards.run}: unseen objects of {wildcards.case}"
    shell:
        "python -m consclust_studies --log {log:q} scores unseen --spec {params.spec:q} --data {input:q} --out {output:q}"
