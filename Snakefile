# What `snakemake --cores N` reads. The rules are in workflow/; this file has the target of a run that names none.
#
#   snakemake --cores 2              the study that config/config.yaml names as default
#   snakemake --cores 2 rce          one study; ids are the folders in studies/
#   snakemake -n rce                 what would run
#
# Settings: config/config.yaml, or for one run --config datasets=yale,jaffe methods=RCE seed=1


include: "workflow/Snakefile"


# Snakemake does not take the default target of a file that is included
rule all:
    default_target: True
    input:
        list_report(DEFAULT_STUDY),
    message:
        f"{DEFAULT_STUDY}: all of it is there"
