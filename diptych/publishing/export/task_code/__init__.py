"""What goes along with exported tasks: pairs as questions, their pictures and scores.

An exported folder holds copies of these modules and of what they import (`export._copies`), and no Diptych is needed
to run it: scores need numpy and pyarrow; what a harness loads with `datasets` or Pillow is imported where it is used.
"""
