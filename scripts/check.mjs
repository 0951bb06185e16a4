// `npm run check`: format, lint, types, architecture, dead code, unit tests.
import { runGate } from './run-gate.mjs'
import { selectSteps } from './select-steps.mjs'
import { check } from './steps.mjs'

process.exitCode = await runGate(selectSteps(check, process.argv.slice(2)), console.log)
