# Stage 5: exhibits, which are tables or figures, and the report of all of them.


for run in PLAN.runs:

    # as many rules as runs: the tables of each have names of their own
    rule:
        name:
            f"tables_{run}"
        input:
            of_tables(run, lambda *tables: PLAN.exhibits_files(*tables).made),
        output:
            stored=[f"results/{run}/exhibits/{table}.json" for table in PLAN.tables(run)],
            shown=[
                report(
                    f"reports/{run}/{table}.html",
                    caption="../report/exhibit.rst",
                    category=run,
                    subcategory="Tables",
                    labels={"exhibit": PLAN.runs[run].exhibit(table).title, "file": table},
                )
                for table in PLAN.tables(run)
            ],
            more=[f"reports/{run}/{table}{suffix}" for table in PLAN.tables(run) for suffix in (".csv", ".md", ".tex")],
        log:
            f"logs/{run}/reports/tables.log",
        group:
            "report"
        conda:
            "../../envs/environment.yaml"
        resources:
            mem_mb=megabytes(of_tables(run, PLAN.need_of_exhibits)),
            runtime=minutes(of_tables(run, PLAN.need_of_exhibits)),
        params:
            spec=of_tables(run, lambda *tables: PLAN.exhibits(*tables).json_text),
            project=of_tables(run, lambda *tables: PLAN.exhibits_files(*tables).project),
        message:
            f"{run}: the tables"
        shell:
            "python -m consclust_studies --log {log:q} reports exhibits --spec {params.spec:q} --out {output:q}"
            " --inputs {params.project:q} {input:q}"


rule figure:
    input:
        lambda w: PLAN.exhibits_files(w.run, w.figure).made,
    output:
        named("results/{run}/exhibits/{figure}.json"),
        report(
            named("reports/{run}/{figure}.svg"),
            caption="../report/exhibit.rst",
            category="{run}",
            subcategory="Figures",
            labels=lambda w: {"exhibit": PLAN.runs[w.run].exhibit(w.figure).title, "file": w.figure},
        ),
        multiext(named("reports/{run}/{figure}"), ".csv", ".tex", ".pdf", ".png"),
    log:
        "logs/{run}/reports/{figure}.log",
    benchmark:
        "results/{run}/benchmarks/{figure}.tsv"
    priority: 1  # takes longer than the tables
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(lambda w: PLAN.need_of_exhibits(w.run, w.figure)),
        runtime=minutes(lambda w: PLAN.need_of_exhibits(w.run, w.figure)),
    params:
        spec=lambda w: PLAN.exhibits(w.run, w.figure).json_text,
        project=lambda w: PLAN.exhibits_files(w.run, w.figure).project,
    message:
        "{wildcards.run}: {wildcards.figure}"
    shell:
        "python -m consclust_studies --log {log:q} reports exhibits --spec {params.spec:q} --out {output:q}"
        " --inputs {params.project:q} {input:q}"


rule document:
    input:
        lambda w: PLAN.document_files(w.run).made,
    output:
        report(
            named("reports/{run}/report.pdf"),
            caption="../report/exhibit.rst",
            category="{run}",
            subcategory="The report",
            labels={"exhibit": "the whole report, PDF", "file": "report"},
        ),
        report(
            named("reports/{run}/report.html"),
            caption="../report/exhibit.rst",
            category="{run}",
            subcategory="The report",
            labels={"exhibit": "the whole report, tables to sort", "file": "report"},
        ),
        multiext(named("reports/{run}/"), "provenance.json", "SHA256SUMS"),
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
        project=lambda w: PLAN.document_files(w.run).project,
    message:
        "{wildcards.run}: the report"
    shell:
        "python -m consclust_studies --log {log:q} reports document --spec {params.spec:q} --out {output:q}"
        " --inputs {params.project:q} {input:q}"
