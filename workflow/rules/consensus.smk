# Stage 3: one method on one case, its whole grid, over a block of subsets.


rule consensus:
    input:
        ensemble="results/ensembles/{study}/{case}.npz",
        data=features_of_the_method,
    output:
        labels="results/{study}/consensus/{case}/{method}/{block}.npz",
        runtime="results/{study}/consensus/{case}/{method}/{block}.runtime.json",
    log:
        "logs/{study}/consensus/{case}/{method}/{block}.log",
    benchmark:
        "results/{study}/benchmarks/consensus/{case}/{method}/{block}.tsv"
    group:
        with_its_case
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(consensus_need),
        runtime=minutes(consensus_need),
    params:
        method=lambda w: method_of(w).method,
        parameters=lambda w: json.dumps(STUDIES[w.study].parameters(case_of(w), method_of(w))),
        grid=lambda w: json.dumps(method_of(w).grid),
        seed=SETTINGS.seed,
        data=lambda w: "".join(f"--data {file}" for file in features_of_the_method(w)),
        code=lambda w: fingerprint("concord.methods.command", whole=[registry.module_of(method_of(w).method)]),
    message:
        "{wildcards.study}: {wildcards.method} on {wildcards.case}, subsets {wildcards.block}"
    shell:
        "python -m concord --log {log:q} consensus --study {wildcards.study} --case {wildcards.case}"
        " --id {wildcards.method} --method {params.method} --parameters {params.parameters:q} --grid {params.grid:q}"
        " --subsets {wildcards.block} --seed {params.seed}"
        " --ensemble {input.ensemble:q} {params.data} --out {output.labels:q}"
