// `npm test`: the check, the real CLI, the examples and the browser. CI runs exactly this.
import { runGate } from './run-gate.mjs'
import { selectSteps } from './select-steps.mjs'
import { everything } from './steps.mjs'

process.exitCode = await runGate(selectSteps(everything, process.argv.slice(2)), console.log)
