// `npm test`: the check, the real CLI, the examples and the browser. CI runs exactly this.
import { runSteps } from './run-steps.mjs'
import { selectSteps } from './select-steps.mjs'
import { everything } from './steps.mjs'

process.exitCode = await runSteps(selectSteps(everything, process.argv.slice(2)), console.log)
