// `npm run check`: format, lint, types, architecture, dead code, unit tests.
import { runSteps } from './run-steps.mjs'
import { selectSteps } from './select-steps.mjs'
import { check } from './steps.mjs'

process.exitCode = await runSteps(selectSteps(check, process.argv.slice(2)), console.log)
