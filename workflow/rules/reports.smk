# Stage 5: exhibits, which are tables or figures, and the report of all of them.


for run in PLAN.runs:

    # as many rules as runs: the tables of each have names of their own
    rule:
        name:
            f"tables_{run}"
        input:
            inputs_of("tables", run=run),
        output:
            stored=PLAN.files_of_exhibits(run, *PLAN.tables(run))["stored"],
            shown=[with_place_in_summary(run, file) for file in PLAN.files_of_exhibits(run, *PLAN.tables(run))["shown"]],
        log:
            paths.LOGS["tables"].format(run=run),
        group:
            "report"
        conda:
            "../../envs/environment.yaml"
        resources:
            mem_mb=megabytes("tables", run=run),
            runtime=minutes("tables", run=run),
        params:
            spec=spec_of("tables", run=run),
            versions=versions_of("tables", run=run),
            job=file_of("tables", run=run),
        message:
            f"{run}: the tables"
        shell:
            DO_JOB


rule figure:
    input:
        inputs_of("figure"),
    output:
        stored=named(paths.EXHIBIT.replace("{exhibit}", "{figure}")),
        shown=[
            named(f"reports/{{run}}/{{figure}}.csv"),
            named(f"reports/{{run}}/{{figure}}.tex"),
            report(
                named("reports/{run}/{figure}.svg"),
                caption="../report/exhibit.rst",
                category="{run}",
                subcategory="Figures",
                labels=lambda w: {"exhibit": PLAN.runs[w.run].exhibit(w.figure).title, "file": w.figure},
            ),
            named(f"reports/{{run}}/{{figure}}.pdf"),
            named(f"reports/{{run}}/{{figure}}.png"),
        ],
    log:
        paths.LOGS["figure"],
    benchmark:
        "results/{run}/benchmarks/{figure}.tsv"
    priority: 1  # takes longer than the tables
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("figure"),
        runtime=minutes("figure"),
    params:
        spec=spec_of("figure"),
        versions=versions_of("figure"),
        job=file_of("figure"),
    message:
        "{wildcards.run}: {wildcards.figure}"
    shell:
        DO_JOB


rule document:
    input:
        inputs_of("document"),
    output:
        report=[
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
            named("reports/{run}/provenance.json"),
            named("reports/{run}/SHA256SUMS"),
        ],
    log:
        paths.LOGS["document"],
    group:
        "report"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=megabytes("document"),
        runtime=minutes("document"),
    params:
        spec=spec_of("document"),
        job=file_of("document"),
    message:
        "{wildcards.run}: the report"
    shell:
        DO_JOB
