// The conformance runner imports `globSync` from node:fs, which Node 20 lacks: it gets a module that has it.
import { register } from 'node:module'

register('./node20-hooks.mjs', import.meta.url)
