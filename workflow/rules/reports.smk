# Stage 5: exhibits, which are tables or figures, and the report of all of them.


rule table:
    input:
        lambda w: PLAN.exhibit_files(w.run, w.table),
    output:
        "results/{run}/exhibits/{table}.json",
        report(
            "reports/{run}/{table}.md", caption="../report/exhibit.rst", category="{run}", labels={"table": "{table}"}
        ),
        multiext("reports/{run}/{table}", ".csv", ".tex"),
    log:
        "logs/{run}/reports/{table}.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_exhibit(w.run, w.table)),
        runtime=minutes(lambda w: PLAN.need_of_exhibit(w.run, w.table)),
    params:
        spec=lambda w: PLAN.exhibit(w.run, w.table).json_text,
    message:
        "{wildcards.run}: {wildcards.table}"
    shell:
        "python -m concord --log {log:q} reports exhibit --spec {params.spec:q} --out {output:q} --inputs {input:q}"


rule figure:
    input:
        lambda w: PLAN.exhibit_files(w.run, w.figure),
    output:
        "results/{run}/exhibits/{figure}.json",
        report(
            "reports/{run}/{figure}.svg",
            caption="../report/exhibit.rst",
            category="{run}",
            labels={"figure": "{figure}"},
        ),
        multiext("reports/{run}/{figure}", ".csv", ".pdf", ".png"),
    log:
        "logs/{run}/reports/{figure}.log",
    benchmark:
        "results/{run}/benchmarks/{figure}.tsv"
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_exhibit(w.run, w.figure)),
        runtime=minutes(lambda w: PLAN.need_of_exhibit(w.run, w.figure)),
    params:
        spec=lambda w: PLAN.exhibit(w.run, w.figure).json_text,
    message:
        "{wildcards.run}: {wildcards.figure}"
    shell:
        "python -m concord --log {log:q} reports exhibit --spec {params.spec:q} --out {output:q} --inputs {input:q}"


rule document:
    input:
        lambda w: PLAN.document_files(w.run),
    output:
        report("reports/{run}/report.pdf", caption="../report/exhibit.rst", category="{run}"),
        multiext("reports/{run}/", "report.html", "provenance.json", "SHA256SUMS"),
    log:
        "logs/{run}/reports/document.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: needs.report(PLAN.runs[w.run])),
        runtime=minutes(lambda w: needs.report(PLAN.runs[w.run])),
    params:
        spec=lambda w: PLAN.document(w.run).json_text,
    message:
        "{wildcards.run}: the report"
    shell:
        "python -m concord --log {log:q} reports document --spec {params.spec:q} --out {output:q} --inputs {input:q}"
