#!/usr/bin/env node
// Committed, so that npm links it at install. In a checkout, run `npm run build` first.
import { runSimulator } from '@quarterdeck/simulator'

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort())
const { stdout, stderr } = process
process.exitCode = await runSimulator(process.argv.slice(2), { stdout, stderr, signal: stop.signal })
