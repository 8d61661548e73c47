# Concord: from download to PDF in five stages; each has its rules in workflow/rules and its code in src/concord.
#
#   snakemake --cores 2              the quickstart: embedded data, minutes
#   snakemake --cores 2 rce          one study; ids are the files in config/studies
#   snakemake -n rce                 what would run
#
# Settings: config/config.yaml, or for one run --config datasets=yale,jaffe methods=RCE seed=1
from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/ensembles.smk"
include: "workflow/rules/consensus.smk"
include: "workflow/rules/scores.smk"
include: "workflow/rules/reports.smk"


for study in STUDIES.values():

    rule:
        name:
            study.id
        default_target: study.id == DEFAULT_STUDY
        input:
            report_files(study),


onstart:
    lock_folder()
