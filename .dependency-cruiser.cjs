// Import rules. No baseline file: the tree obeys, or the rule changes in review.
// scripts/folder-imports.cjs says which folder of a package may import which; the rules here are about packages and
// about libraries that belong to one folder.
// Paths: a workspace import resolves to packages/<x>/src/index.ts, an npm package to node_modules/<name>/…, a Node
// built-in to its bare name with the dependency type `core`.
const { folderRules, isTest } = require('./scripts/folder-rules.cjs')
const folderImports = require('./scripts/folder-imports.cjs')

const engine = '^packages/engine/src/'
const client = '^packages/client/src/'
const protocol = '^packages/protocol/src/'
const data = '^packages/web/src/data/'
/** @param {string} names */
const npm = (names) => `(^|/)node_modules/(${names})/`

/**
 * Production code in `from` may import nothing but `allowed` and, unless `core` says otherwise, Node built-ins.
 * @param {{ name: string, comment: string, from: string, allowed: readonly string[], core?: 'forbidden' }} rule
 */
const mayOnlyImport = ({ name, comment, from, allowed, core }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: isTest },
  to: { pathNot: allowed, ...(core === 'forbidden' ? {} : { dependencyTypesNot: ['core'] }) },
})

/** @param {{ name: string, comment: string, from: object, to: object }} rule */
const mustNotImport = (rule) => ({ ...rule, severity: 'error' })

/**
 * A library that one place wraps: others use the wrapper.
 * @param {{ name: string, comment: string, library: string | readonly string[], home: string }} rule
 */
const livesIn = ({ name, comment, library, home }) =>
  mustNotImport({ name, comment, from: { path: '^packages/', pathNot: [home, isTest] }, to: { path: library } })

module.exports = {
  forbidden: [
    mustNotImport({
      name: 'no-cycles',
      comment: 'Files that need each other are one file, or a third one is missing. Type-only cycles count too.',
      from: {},
      to: { circular: true },
    }),
    mustNotImport({
      name: 'no-unresolvable',
      comment: 'An import that does not resolve escapes every other rule. Vite resolves ?url and the like itself.',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?(url|raw|worker)$' },
    }),
    mustNotImport({
      name: 'packages-by-index',
      comment: 'Other packages are imported through their index.ts. Tests may share fixtures.',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/[^/]+/(src|dist)/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/src/index\\.ts$', '\\.fixture\\.ts$'],
      },
    }),
    mustNotImport({
      name: 'no-tests-in-production',
      comment: 'The build leaves out tests, contract suites and fixtures: production code that imports one breaks.',
      from: { path: '^packages/', pathNot: isTest },
      to: { path: isTest },
    }),

    mayOnlyImport({
      name: 'protocol-is-zod-only',
      comment: 'The protocol runs in browsers: itself and zod, no Node built-in.',
      from: protocol,
      allowed: [protocol, npm('zod')],
      core: 'forbidden',
    }),
    mustNotImport({
      name: 'protocol-imports-no-package',
      comment: 'The protocol is the lowest package, in its tests too.',
      from: { path: protocol },
      to: { path: '^packages/(?!protocol/)' },
    }),
    mayOnlyImport({
      name: 'client-runs-in-a-browser',
      comment: 'The client runs in browsers: the protocol, zod and the parser of event streams, no Node built-in.',
      from: client,
      allowed: [client, protocol, npm('zod|eventsource-parser')],
      core: 'forbidden',
    }),
    mustNotImport({
      name: 'client-imports-protocol-only',
      comment: 'The client depends on the protocol alone, in its tests too.',
      from: { path: client },
      to: { path: '^packages/(?!client/|protocol/)' },
    }),
    mustNotImport({
      name: 'model-imports-protocol-only',
      comment: 'The model package meets the engine only through the ModelConnections port, joined by the server.',
      from: { path: '^packages/model/src/', pathNot: isTest },
      to: { path: '^packages/(?!model/|protocol/)' },
    }),
    mustNotImport({
      name: 'model-tests-use-the-simulator-only',
      comment: 'Tests of the model package may run against the simulator and no other package.',
      from: { path: '^packages/model/src/' },
      to: { path: '^packages/(?!model/|protocol/|simulator/)' },
    }),
    mustNotImport({
      name: 'simulator-imports-model-and-protocol',
      comment: 'The simulator runs on its own for other people’s tests: codecs and protocol, no engine or server.',
      from: { path: '^packages/simulator/src/' },
      to: { path: '^packages/(?!simulator/|model/|protocol/)' },
    }),
    mustNotImport({
      name: 'engine-imports-protocol-only',
      comment: 'The engine has no HTTP, terminal or React.',
      from: { path: engine, pathNot: isTest },
      to: {
        path: ['^packages/(?!engine/|protocol/)', npm('hono|@hono/[^/]+|ws|commander|@clack/[^/]+|react|react-dom')],
      },
    }),
    mustNotImport({
      name: 'engine-tests-use-model-and-simulator',
      comment: 'A test of the engine that needs a server or the command belongs to those packages.',
      from: { path: engine },
      to: { path: '^packages/(?!engine/|protocol/|model/|simulator/)' },
    }),
    mustNotImport({
      name: 'server-imports-no-front-end',
      comment: 'The server serves the workbench as files and never imports it, nor the command.',
      from: { path: '^packages/server/src/' },
      to: { path: '^packages/(cli|web)/' },
    }),
    mustNotImport({
      name: 'cli-imports-no-workbench',
      comment: 'The command reaches the workbench only through the server.',
      from: { path: '^packages/cli/src/' },
      to: { path: '^packages/web/' },
    }),
    mayOnlyImport({
      name: 'web-runs-in-a-browser',
      comment: 'The workbench imports protocol, client and UI libraries: no engine, no server, no Node built-in.',
      from: '^packages/web/src/',
      allowed: ['^packages/web/src/', client, protocol, '(^|/)node_modules/', '\\?(url|raw|worker)$'],
      core: 'forbidden',
    }),
    mustNotImport({
      name: 'web-uses-the-api',
      comment: 'The workbench talks to the rest through the API, in its tests too.',
      from: { path: '^packages/web/' },
      to: { path: '^packages/(?!web/|client/|protocol/)' },
    }),

    livesIn({
      name: 'claude-sdk-in-its-adapter',
      comment: 'One adapter wraps the Claude Agent SDK.',
      library: npm('@anthropic-ai/claude-agent-sdk'),
      home: `${engine}backends/claude/`,
    }),
    livesIn({
      name: 'provider-clients-in-the-loop',
      comment:
        'The in-process loop wraps the provider clients. The Claude adapter needs the message types, embedders the OpenAI client.',
      library: npm('@anthropic-ai/sdk|openai'),
      home: `${engine}(backends/(loop|claude)|retrieval/embedders)/`,
    }),
    livesIn({
      name: 'sql-in-the-store',
      comment: 'store/sql wraps Kysely and the drivers, and retrieval/sql, which has database files of its own.',
      library: npm('kysely|libsql|@libsql/[^/]+'),
      home: `${engine}(store|retrieval)/sql/`,
    }),
    livesIn({
      name: 'mcp-in-the-toolbox',
      comment: 'The toolbox connects to MCP servers, the Claude adapter to the CLI.',
      library: npm('@modelcontextprotocol/sdk'),
      home: `${engine}(toolbox|backends/claude)/`,
    }),
    livesIn({
      name: 'duckdb-in-the-data-engine',
      comment: 'One folder wraps DuckDB and Arrow; others pass rows or IPC streams.',
      library: ['(^|/)@duckdb/', npm('apache-arrow')],
      home: `${data}engine/`,
    }),
    livesIn({
      name: 'file-readers-in-import',
      comment: 'Libraries that read file formats are used where files are imported.',
      library: '(^|/)(parquet-wasm|@e965/xlsx|sql\\.js)/',
      home: `${data}import/`,
    }),
    livesIn({
      name: 'vega-in-charts',
      comment: 'charts/ turns chart choices into Vega specifications and draws them.',
      library: npm('vega|vega-[^/]+'),
      home: `${data}charts/`,
    }),
    mustNotImport({
      name: 'react-in-components-only',
      comment: 'Stores and the data module without its ui/ are plain TypeScript, testable without a page.',
      from: { path: `^packages/web/src/(stores|data/(?!ui/))`, pathNot: isTest },
      to: { path: npm('react|react-dom|@types/react|@tanstack/[^/]+|lucide-react') },
    }),

    mustNotImport({
      name: 'waits-use-sleep',
      comment: 'Sources wait with `sleep` of the protocol. Tests and .mjs programs may use the functions of Node.',
      from: { path: '^packages/[^/]+/src/.+\\.tsx?$', pathNot: isTest },
      to: { path: '^(node:)?timers/promises$' },
    }),

    ...folderRules(folderImports),
  ],
  options: {
    // Only our own build output: `/dist/` alone would drop every edge into npm packages that live in a dist folder.
    exclude: { path: '^packages/[^/]+/dist/' },
    doNotFollow: { path: 'node_modules' },
    // Counts `import type` too, which the compiler erases.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@quarterdeck/source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
}
