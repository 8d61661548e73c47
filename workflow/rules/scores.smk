# Stage 4: one tidy table of scores; selection of parameters; tests of significance.


rule study:
    output:
        "results/{study}/study.json",
    log:
        "logs/{study}/study.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        content=lambda w: STUDIES[w.study].model_dump_json(),
    message:
        "{wildcards.study}: writing down the study as it is run"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q}.part 2> {log:q} && mv {output:q}.part {output:q}"


rule score:
    input:
        study="results/{study}/study.json",
        ensemble="results/ensembles/{study}/{case}.npz",
        blocks=lambda w: block_files(STUDIES[w.study], case_of(w), ".npz"),
    output:
        "results/{study}/scores/{case}.parquet",
    log:
        "logs/{study}/scores/{case}.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(score_need),
        runtime=minutes(score_need),
    params:
        code=fingerprint("concord.scores.table"),
    message:
        "{wildcards.study}: scores on {wildcards.case}"
    shell:
        "python -m concord --log {log:q} scores case --study {input.study:q} --case {wildcards.case}"
        " --ensemble {input.ensemble:q} --out {output:q} {input.blocks:q}"


rule collect:
    input:
        study="results/{study}/study.json",
        cases=lambda w: [f"results/{w.study}/scores/{case.id}.parquet" for case in STUDIES[w.study].cases],
        blocks=lambda w: all_blocks(STUDIES[w.study], ".npz"),
    output:
        multiext("results/{study}/scores", ".parquet", ".csv"),
        multiext("results/{study}/selected", ".parquet", ".csv"),
        multiext("results/{study}/", "pvalues.csv", "failures.csv", "notes.csv"),
    log:
        "logs/{study}/scores/collect.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.scores.collect"),
    message:
        "{wildcards.study}: collecting scores, choosing parameters, testing differences"
    shell:
        "python -m concord --log {log:q} scores collect --study {input.study:q} --out-dir results/{wildcards.study}"
        " --cases {input.cases:q} --blocks {input.blocks:q}"


use rule study as experiment with:
    # what scores on unseen objects depend on: study.json changes with every claim
    output:
        "results/{study}/generalisation/{case}.json",
    log:
        "logs/{study}/generalisation/{case}.experiment.log",
    params:
        content=lambda w: STUDIES[w.study].on_unseen_objects(case_of(w)).model_dump_json(),
    message:
        "{wildcards.study}: writing down how unseen objects of {wildcards.case} are scored"


rule generalisation:
    input:
        study="results/{study}/generalisation/{case}.json",
        data=lambda w: prepared_file(case_of(w)),
    output:
        "results/{study}/generalisation/{case}.parquet",
    log:
        "logs/{study}/generalisation/{case}.log",
    benchmark:
        "results/{study}/benchmarks/generalisation/{case}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(generalisation_need),
        runtime=minutes(generalisation_need),
    params:
        code=unseen_code,
        seed=SETTINGS.seed,
    message:
        "{wildcards.study}: unseen objects of {wildcards.case}"
    shell:
        "python -m concord --log {log:q} scores generalisation --study {input.study:q} --case {wildcards.case}"
        " --data {input.data:q} --seed {params.seed} --out {output:q}"


rule score_readings:
    input:
        study="results/{study}/study.json",
        ensemble="results/ensembles/{study}/{case}.npz",
        blocks=lambda w: reading_blocks(STUDIES[w.study], ".npz", w.case),
    output:
        "results/{study}/readings/scores/{case}.parquet",
    log:
        "logs/{study}/readings/scores/{case}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(score_need),
        runtime=minutes(score_need),
    params:
        code=fingerprint("concord.scores.table"),
    message:
        "{wildcards.study}: scores of other readings on {wildcards.case}"
    shell:
        "python -m concord --log {log:q} scores case --readings --study {input.study:q} --case {wildcards.case}"
        " --ensemble {input.ensemble:q} --out {output:q} {input.blocks:q}"


rule collect_readings:
    input:
        study="results/{study}/study.json",
        cases=lambda w: [
            f"results/{w.study}/readings/scores/{other.cases[0].id}.parquet"
            for other in STUDIES[w.study].readings_by_case()
        ],
        blocks=lambda w: reading_blocks(STUDIES[w.study], ".npz"),
    output:
        multiext("results/{study}/readings/scores", ".parquet", ".csv"),
        multiext("results/{study}/readings/selected", ".parquet", ".csv"),
        multiext("results/{study}/readings/", "failures.csv", "notes.csv"),
    log:
        "logs/{study}/readings/collect.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.scores.collect"),
    message:
        "{wildcards.study}: collecting the scores of other readings"
    shell:
        "python -m concord --log {log:q} scores collect --readings --study {input.study:q}"
        " --out-dir results/{wildcards.study}/readings --cases {input.cases:q} --blocks {input.blocks:q}"
