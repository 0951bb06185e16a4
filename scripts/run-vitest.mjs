// Runs one vitest configuration and counts all failures: vitest reports "0 failed" when a file does not import, and an
// unhandled rejection shows only in the exit code.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runCommand } from './run-command.mjs'

/**
 * @typedef {{ name: string, status: string, assertionResults: readonly { status: string, fullName: string }[] }} TestFile
 * @typedef {{ numPassedTests: number, numFailedTests: number, testResults: readonly TestFile[] }} VitestReport
 * @typedef {{ passed: number, failed: number, skipped: readonly string[], output: string }} Counts
 */

/**
 * @param {string} root
 * @param {readonly string[]} args
 * @returns {Promise<Counts>}
 */
export async function runVitest(root, args) {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-vitest-'))
  const reportPath = join(folder, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  try {
    const { code, output } = await runCommand(
      process.execPath,
      [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`, ...args],
      { cwd: root },
    )
    const { skipped, ...counts } = countTests(await readReport(reportPath), code)
    return { ...counts, skipped: skipped.map(({ file, test }) => `${relative(root, file)}: ${test}`), output }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * @param {VitestReport | undefined} report
 * @param {number} exitCode
 */
export function countTests(report, exitCode) {
  if (!report) return { passed: 0, failed: 1, skipped: [] }
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
  const seen = report.numFailedTests + brokenFiles
  const failed = seen === 0 && exitCode !== 0 ? 1 : seen
  const skipped = report.testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName: test }) => ({ file, test })),
  )
  return { passed: report.numPassedTests, failed, skipped }
}

/**
 * @param {string} path
 * @returns {Promise<VitestReport | undefined>}
 */
async function readReport(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    // vitest ended before it could write the report: the caller counts this as a failure.
    return undefined
  }
}
