#!/usr/bin/env node
// Committed, so that npm links it at install. In a checkout, run `npm run build` first.
import { runSimulator } from '@quarterdeck/simulator'

process.exitCode = await runSimulator(process.argv.slice(2))
