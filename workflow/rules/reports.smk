# Stage 5: tables, figures, claims with verdicts, the PDF.


rule tables:
    input:
        study="results/{study}/study.json",
        results=multiext("results/{study}/", "scores.parquet", "selected.parquet", "pvalues.csv", "failures.csv"),
        prepared=lambda w: [prepared_file(case) for case in STUDIES[w.study].described],
        printed=printed_tables,
    output:
        report("reports/{study}/table1.md", caption="../report/table1.rst", category="{study}", subcategory="Tables"),
        report("reports/{study}/table2.md", caption="../report/table2.rst", category="{study}", subcategory="Tables"),
        report("reports/{study}/claims.md", caption="../report/claims.rst", category="{study}", subcategory="Claims"),
        multiext("reports/{study}/", "table1.csv", "table2.csv", "claims.csv", "pvalues.csv"),
    log:
        "logs/{study}/reports/tables.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.reports.tables", "concord.reports.claims", "concord.scores.summary"),
        prepared=prepared_words,
    message:
        "{wildcards.study}: tables and claims"
    shell:
        "python -m concord --log {log:q} reports tables --study {input.study:q} --out reports/{wildcards.study}"
        " --prepared {params.prepared:q}"


rule figures:
    input:
        study="results/{study}/study.json",
        scores="results/{study}/scores.parquet",
    output:
        report(
            "reports/{study}/figure1.svg", caption="../report/figure1.rst", category="{study}", subcategory="Figures"
        ),
        multiext("reports/{study}/figure1", ".pdf", ".png"),
    log:
        "logs/{study}/reports/figures.log",
    benchmark:
        "results/{study}/benchmarks/figures.tsv"
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.reports.figures"),
    message:
        "{wildcards.study}: figure 1"
    shell:
        "python -m concord --log {log:q} reports figures --study {input.study:q} --out reports/{wildcards.study}"


rule pdf:
    input:
        study="results/{study}/study.json",
        tables=lambda w: [f"reports/{w.study}/{name}" for name in TABLES],
        figures=drawn,
        failures="results/{study}/failures.csv",
        runtimes=lambda w: all_blocks(STUDIES[w.study], ".runtime.json"),
    output:
        report("reports/{study}/report.pdf", caption="../report/report.rst", category="{study}", subcategory="Paper"),
        multiext("reports/{study}/", *RECORDS),
    log:
        "logs/{study}/reports/pdf.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint(
            "concord.reports.document",
            "concord.reports.pdf",
            "concord.reports.provenance",
            "concord.reports.runtime",
            beside=sorted(Path("src/concord/reports/templates").iterdir()),
        ),
        seed=SETTINGS.seed,
    message:
        "{wildcards.study}: the PDF"
    shell:
        "python -m concord --log {log:q} reports pdf --study {input.study:q} --out reports/{wildcards.study}"
        " --seed {params.seed} --runtimes {input.runtimes:q}"
