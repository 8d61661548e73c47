# Stage 5: exhibits, which are tables or figures, and the report of all of them.


for run in PLAN.runs:

    # as many rules as runs: the tables of each have names of their own
    rule:
        name:
            f"tables_{run}"
        input:
            list_inputs("tables", run=run),
        output:
            stored=PLAN.list_exhibit_files(run, *PLAN.tables(run))["stored"],
            shown=[
                with_place_in_summary(run, file) for file in PLAN.list_exhibit_files(run, *PLAN.tables(run))["shown"]
            ],
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
            spec=find_spec("tables", run=run),
            versions=find_versions("tables", run=run),
            job=write_job_file("tables", run=run),
        message:
            f"{run}: the tables"
        shell:
            DO_JOB


rule figure:
    input:
        list_inputs("figure"),
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
        spec=find_spec("figure"),
        versions=find_versions("figure"),
        job=write_job_file("figure"),
    message:
        "{wildcards.run}: {wildcards.figure}"
    shell:
        DO_JOB


rule document:
    input:
        list_inputs("document"),
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
        spec=find_spec("document"),
        job=write_job_file("document"),
    message:
        "{wildcards.run}: the report"
    shell:
        DO_JOB
