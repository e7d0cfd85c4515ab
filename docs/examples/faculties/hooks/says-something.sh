#!/bin/sh
# Blocks an empty answer: exit 2, and what stands on stderr is the reason.
grep -q '"final_text": *"[^"]' || { echo 'the scribe said nothing' >&2; exit 2; }
