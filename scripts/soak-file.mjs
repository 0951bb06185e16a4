// Runs one file of e2e/ at full size with a time limit, and reads its report.
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endOfGroup } from './end-of-group.mjs'

/**
 * @typedef {import('./soak-report.mjs').FileResult} FileResult
 * @typedef {{ status: string, fullName: string, duration?: number | null, failureMessages: readonly string[] }} TestResult
 * @typedef {{ testResults: readonly { status: string, message?: string, assertionResults: readonly TestResult[] }[] }} VitestReport
 */

/**
 * @param {{ root: string, folder: string, name: string, boundMs: number, stop: AbortSignal, kill: AbortSignal }} options
 * @returns {Promise<FileResult>}
 */
export async function soakFile({ root, folder, name, boundMs, stop, kill }) {
  const stem = join(folder, name.replaceAll('/', '-'))
  const paths = { report: `${stem}.json`, facts: `${stem}.facts` }
  await Promise.all(Object.values(paths).map((path) => rm(path, { force: true })))
  const memoryBefore = await availableMiB()
  const startedAt = performance.now()
  const log = `${stem}.log`
  const end = await runTests({ root, name, boundMs, stop, kill, ...paths, log })
  const durationMs = Math.round(performance.now() - startedAt)
  const facts = await readFacts(paths.facts)
  const report = await readReport(paths.report)
  const memory = { beforeMiB: memoryBefore, afterMiB: await availableMiB() }
  return { name, durationMs, memory, facts, ...resultsOf(report, end) }
}

/** How long servers and clients of a test may take to stop. */
const graceMs = 60_000

/**
 * @param {{ root: string, name: string, boundMs: number, stop: AbortSignal, kill: AbortSignal, report: string, facts: string, log: string }} options
 */
async function runTests({ root, name, boundMs, stop, kill, report, facts, log }) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const patience = ['--testTimeout', String(boundMs), '--hookTimeout', String(boundMs)]
  const args = ['run', '--config', 'e2e/vitest.config.ts', '--reporter=verbose', '--reporter=json', ...patience]
  const child = spawn(process.execPath, [vitest, ...args, `--outputFile.json=${report}`, `e2e/${name}.test.ts`], {
    cwd: root,
    env: { ...process.env, SOAK: '1', SOAK_FACTS: facts, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that servers started by a test are stopped too.
    detached: true,
  })
  const output = createWriteStream(log)
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  const end = await endOfGroup(child, { boundMs, graceMs, stop, kill })
  output.end()
  return end
}

/**
 * @param {VitestReport | null} report
 * @param {import('./end-of-group.mjs').End} end
 */
export function resultsOf(report, { code, isOutOfTime, isStopped }) {
  const tests = report?.testResults.flatMap((file) => file.assertionResults) ?? []
  const failed = tests.filter(({ status }) => status === 'failed')
  const slow = failed.filter(({ failureMessages }) => failureMessages.every((text) => /timed out in \d+ms/.test(text)))
  const broken = failed
    .filter((test) => !slow.includes(test))
    .map(({ fullName, failureMessages }) => ({ test: fullName, message: firstLines(failureMessages.join('\n')) }))
  const files =
    report?.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0) ?? []
  for (const { message } of files) broken.push({ test: 'the file itself', message: firstLines(message ?? '') })
  const isUnexplained = code !== 0 && !isOutOfTime && !isStopped && failed.length === 0 && files.length === 0
  if (isUnexplained) broken.push({ test: 'the run itself', message: `vitest ended with ${code}: see its log` })
  const rest = isOutOfTime ? ['the rest of the file'] : isStopped ? ['the rest of the file, which was stopped'] : []
  return {
    isStopped,
    passed: tests.filter(({ status }) => status === 'passed').length,
    skipped: tests.filter(({ status }) => status === 'pending' || status === 'skipped').map(({ fullName }) => fullName),
    broken,
    unfinished: [...slow.map(({ fullName }) => fullName), ...rest],
    tests: tests.map(({ fullName, status, duration }) => ({
      test: fullName,
      status,
      durationMs: Math.round(duration ?? 0),
    })),
  }
}

/** @param {string} text */
const firstLines = (text) => text.split('\n').slice(0, 6).join('\n')

/** @param {string} path */
async function readFacts(path) {
  const text = await readFile(path, 'utf8').catch(() => '') // no facts were written
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/**
 * @param {string} path
 * @returns {Promise<VitestReport | null>}
 */
async function readReport(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null // stopped before it could write one: its log shows the progress
  }
}

/** Of the whole machine; null if unknown. */
async function availableMiB() {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const kibibytes = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1]
  return kibibytes === undefined ? null : Math.round(Number(kibibytes) / 1024)
}
