// Turns the table of folder imports into dependency-cruiser rules, one for each folder.

/** @typedef {Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>} FolderImports */

const isTest = '\\.(test|test-d|contract|fixture)\\.tsx?$|/testing/'

/**
 * Rule names are `package/folder`. A folder's own files may import each other; a sub-folder with a row of its own is not
 * part of its parent.
 * @param {FolderImports} folderImports
 */
function folderRules(folderImports) {
  return Object.entries(folderImports).flatMap(([name, folders]) => {
    const source = `^packages/${name}/src/`
    return Object.entries(folders).map(([folder, allowed]) => ({
      name: `${name}/${folder}`,
      comment: `Allowed inside the package: ${allowed.join(', ') || 'nothing'} (scripts/folder-imports.cjs).`,
      severity: 'error',
      from: { path: pathOf(source, folder, folders), pathNot: isTest },
      to: { path: source, pathNot: [folder, ...allowed].map((entry) => pathOf(source, entry, folders)) },
    }))
  })
}

/**
 * The edges between the rows of a package, for the test that looks for cycles. Files are left to the rule `no-cycles`.
 * @param {Readonly<Record<string, readonly string[]>>} folders
 * @returns {Map<string, readonly string[]>}
 */
function folderEdges(folders) {
  const rows = Object.keys(folders)
  return new Map(
    Object.entries(folders).map(([folder, allowed]) => [
      folder,
      rows.filter((row) => row !== folder && allowed.some((entry) => covers(entry, row))),
    ]),
  )
}

/**
 * @param {string} entry
 * @param {string} row
 */
function covers(entry, row) {
  return entry.endsWith('/*') ? `${row}/`.startsWith(entry.slice(0, -1)) : entry === row
}

/**
 * @param {string} source
 * @param {string} entry
 * @param {Readonly<Record<string, readonly string[]>>} folders
 */
function pathOf(source, entry, folders) {
  if (/\.tsx?$/.test(entry)) return `${source}${entry.replace('.', '\\.')}$`
  if (entry.endsWith('/*')) return `${source}${entry.slice(0, -1)}`
  const nested = Object.keys(folders).filter((other) => other.startsWith(`${entry}/`))
  const names = nested.map((other) => `${other.slice(entry.length + 1)}/`)
  return names.length === 0 ? `${source}${entry}/` : `${source}${entry}/(?!${names.join('|')})`
}

module.exports = { covers, folderEdges, folderRules, isTest }
