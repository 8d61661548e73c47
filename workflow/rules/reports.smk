# Stage 5: tables, figures, claims with verdicts, the PDF.


rule tables:
    input:
        study="results/{study}/study.json",
        results=multiext(
            "results/{study}/", "scores.parquet", "selected.parquet", "pvalues.csv", "failures.csv", "notes.csv"
        ),
        others=lambda w: reading_results(w, "selected.parquet"),
        unseen=unseen_scores,
        prepared=lambda w: [prepared_file(case) for case in STUDIES[w.study].described],
        printed=printed_tables,
    output:
        report("reports/{study}/table1.md", caption="../report/table1.rst", category="{study}", subcategory="Tables"),
        report("reports/{study}/table2.md", caption="../report/table2.rst", category="{study}", subcategory="Tables"),
        report("reports/{study}/claims.md", caption="../report/claims.rst", category="{study}", subcategory="Claims"),
        report(
            "reports/{study}/agreement.md", caption="../report/agreement.rst", category="{study}", subcategory="Claims"
        ),
        report(
            "reports/{study}/restarts.md", caption="../report/restarts.rst", category="{study}", subcategory="Tables"
        ),
        report("reports/{study}/grids.md", caption="../report/grids.rst", category="{study}", subcategory="Tables"),
        multiext("reports/{study}/", "table1.csv", "table2.csv", "claims.csv", "pvalues.csv"),
        multiext("reports/{study}/", "agreement.csv", "ranks.csv", "restarts.csv", "grids.csv"),
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
        code=fingerprint("concord.reports.agreement", "concord.reports.grids", "concord.reports.restarts"),
        prepared=prepared_words,
    message:
        "{wildcards.study}: tables and claims"
    shell:
        "python -m concord --log {log:q} reports tables --study {input.study:q} --out reports/{wildcards.study}"
        " --prepared {params.prepared:q}"


rule view:
    input:
        study="results/{study}/study.json",
        results=multiext("results/{study}/", "selected.parquet", "failures.csv", "notes.csv"),
        others=lambda w: reading_results(w, "selected.parquet", "failures.csv", "notes.csv"),
        printed=printed_tables,
    output:
        report("reports/{study}/{view}.md", caption="../report/view.rst", category="{study}", subcategory="Tables"),
        "reports/{study}/{view}.csv",
    log:
        "logs/{study}/reports/{view}.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.reports.tables", "concord.scores.summary"),
    message:
        "{wildcards.study}: {wildcards.view}"
    shell:
        "python -m concord --log {log:q} reports view --study {input.study:q} --out reports/{wildcards.study}"
        " --view {wildcards.view}"


rule starts:
    input:
        study="results/{study}/study.json",
        ensembles=starts_ensembles,
        blocks=starts_blocks,
        printed=printed_tables,
    output:
        report("reports/{study}/starts.md", caption="../report/starts.rst", category="{study}", subcategory="Tables"),
        multiext("reports/{study}/", "starts.csv", "f1_bounds.csv"),
    log:
        "logs/{study}/reports/starts.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.reports.starts"),
    message:
        "{wildcards.study}: random starts"
    shell:
        "python -m concord --log {log:q} reports starts --study {input.study:q} --out reports/{wildcards.study}"
        " {input.blocks:q}"


rule unseen_objects:
    input:
        study="results/{study}/study.json",
        scores=unseen_scores,
    output:
        report(
            "reports/{study}/generalisation.md",
            caption="../report/generalisation.rst",
            category="{study}",
            subcategory="Tables",
        ),
        "reports/{study}/generalisation.csv",
    log:
        "logs/{study}/reports/generalisation.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.reports.generalisation"),
    message:
        "{wildcards.study}: table of unseen objects"
    shell:
        "python -m concord --log {log:q} reports generalisation --study {input.study:q}"
        " --out reports/{wildcards.study}"


rule readings:
    input:
        study="results/{study}/study.json",
        own="results/{study}/selected.parquet",
        others="results/{study}/readings/selected.parquet",
        printed=printed_tables,
    output:
        report(
            "reports/{study}/readings.md", caption="../report/readings.rst", category="{study}", subcategory="Tables"
        ),
        "reports/{study}/readings.csv",
    log:
        "logs/{study}/reports/readings.log",
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(report_need),
        runtime=minutes(report_need),
    params:
        code=fingerprint("concord.reports.readings"),
    message:
        "{wildcards.study}: other readings of the paper"
    shell:
        "python -m concord --log {log:q} reports readings --study {input.study:q} --out reports/{wildcards.study}"


rule figures:
    input:
        study="results/{study}/study.json",
        scores="results/{study}/scores.parquet",
    output:
        report(
            "reports/{study}/{figure}.svg",
            caption="../report/figure.rst",
            category="{study}",
            subcategory="Figures",
        ),
        multiext("reports/{study}/{figure}", ".pdf", ".png"),
    log:
        "logs/{study}/reports/{figure}.log",
    benchmark:
        "results/{study}/benchmarks/{figure}.tsv"
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
        "{wildcards.study}: {wildcards.figure}"
    shell:
        "python -m concord --log {log:q} reports figures --study {input.study:q} --out reports/{wildcards.study}"
        " --figure {wildcards.figure}"


rule further_figures:
    input:
        further_inputs,
        study="results/{study}/study.json",
    output:
        report(
            "reports/{study}/{further}.svg",
            caption="../report/further.rst",
            category="{study}",
            subcategory="Figures",
        ),
        multiext("reports/{study}/{further}", ".pdf", ".png", ".csv"),
    log:
        "logs/{study}/reports/{further}.log",
    benchmark:
        "results/{study}/benchmarks/{further}.tsv"
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes(further_need),
        runtime=minutes(further_need),
    params:
        code=further_code,
        title=lambda w: further_figure(w).title,
        objects=objects_argument,
        seed=SETTINGS.seed,
    message:
        "{wildcards.study}: {wildcards.further}"
    shell:
        "python -m concord --log {log:q} reports figures --study {input.study:q} --out reports/{wildcards.study}"
        " --figure {wildcards.further} --seed {params.seed} {params.objects}"


rule pdf:
    input:
        study="results/{study}/study.json",
        shown=for_the_pdf,
        remarks=multiext("results/{study}/", "failures.csv", "notes.csv"),
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
