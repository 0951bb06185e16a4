// The import table of the architecture as rules. No baseline file: the tree obeys, or the rule changes in review.
// Paths: a workspace import resolves to packages/<x>/src/index.ts, an npm package to node_modules/<name>/…, a Node
// built-in to its bare name with the dependency type `core`.

const test = '\\.(test|test-d|contract|fixture)\\.tsx?$|/testing/'
const engine = '^packages/engine/src/'
const protocol = '^packages/protocol/src/'
// The small ports everyone is handed: files directly in engine/src (bus, clock, gateway) but its doors, and the logger.
const enginePorts = `${engine}((?!(index|create-engine|open-log|open-key-ring)\\.ts$)[^/]+|telemetry/logger)\\.ts$`
const backendPort = `${engine}backends/[^/]+\\.ts$`
const storePort = `${engine}store/[^/]+\\.ts$`
const analysis = '^packages/web/src/analysis/'
// The contracts of Data: files directly in analysis/ but the one that joins its rooms.
const analysisContracts = `${analysis}(?!create-workspace)[^/]+\\.ts$`
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
  from: { path: from, pathNot: test },
  to: { pathNot: allowed, ...(core === 'forbidden' ? {} : { dependencyTypesNot: ['core'] }) },
})

/** @param {{ name: string, comment: string, from: object, to: object }} rule */
const mustNotImport = (rule) => ({ ...rule, severity: 'error' })

module.exports = {
  forbidden: [
    mustNotImport({
      name: 'no-cycles',
      comment: 'Modules that need each other at run time are one module. Type-only circles are erased and harmless.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    }),
    mustNotImport({
      name: 'no-unresolvable',
      comment: 'An import that resolves to nothing escapes every other rule. Vite resolves ?url and the like itself.',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?(url|raw|worker)$' },
    }),
    mustNotImport({
      name: 'doors-only',
      comment: 'Another package is entered through its index.ts.',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/[^/]+/(src|dist)/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/index\\.ts$'] },
    }),
    mustNotImport({
      name: 'no-tests-in-production',
      comment: 'Tests and contract suites are left out of the build: production code that imports one breaks.',
      from: { path: '^packages/', pathNot: test },
      to: { path: test },
    }),

    mayOnlyImport({
      name: 'protocol-is-zod-only',
      comment: 'The contract runs in browsers: itself and zod, no Node built-in.',
      from: protocol,
      allowed: [protocol, npm('zod')],
      core: 'forbidden',
    }),
    mustNotImport({
      name: 'protocol-knows-nobody',
      comment: 'Also in its tests the contract stands alone.',
      from: { path: protocol },
      to: { path: '^packages/(?!protocol/)' },
    }),
    mustNotImport({
      name: 'model-knows-protocol-only',
      comment: 'The model side meets the engine only through the ModelGateway port, wired by server and cli.',
      from: { path: '^packages/model/src/' },
      to: { path: '^packages/(?!model/|protocol/)' },
    }),
    mustNotImport({
      name: 'engine-knows-protocol-only',
      comment: 'No HTTP, no terminal, no React in the house; its tests may use the simulator of the model side.',
      from: { path: engine, pathNot: test },
      to: {
        path: ['^packages/(?!engine/|protocol/)', npm('hono|@hono/[^/]+|ws|commander|@clack/[^/]+|react|react-dom')],
      },
    }),
    mustNotImport({
      name: 'engine-tests-use-the-model-side-only',
      comment: 'A test of the engine that needs a server or the command is a test of those.',
      from: { path: engine },
      to: { path: '^packages/(?!engine/|protocol/|model/)' },
    }),
    mustNotImport({
      name: 'server-knows-no-front-end',
      comment: 'The doors serve the workbench as files and never import it, nor the command.',
      from: { path: '^packages/server/src/' },
      to: { path: '^packages/(cli|web)/' },
    }),
    mayOnlyImport({
      name: 'rpc-knows-no-route',
      comment: 'JSON-RPC reaches sessions through its host port: the application as a value, never a route or a wire.',
      from: '^packages/server/src/rpc/',
      allowed: [
        '^packages/server/src/(rpc|transports)/',
        '^packages/server/src/(app-env|requests/read-body)\\.ts$',
        '^packages/engine/src/index\\.ts$',
        protocol,
        npm('hono|zod'),
      ],
    }),
    mayOnlyImport({
      name: 'wires-are-islands',
      comment:
        'A foreign protocol knows what every wire is given, sockets and requests; never another wire, a door or the house.',
      from: '^packages/server/src/wires/([^/]+)/',
      allowed: [
        '^packages/server/src/wires/$1/',
        '^packages/server/src/wires/wire\\.ts$',
        '^packages/server/src/(transports|requests)/',
        '^packages/server/src/routes/(mount-route|served-models)\\.ts$',
        '^packages/server/src/(app-env|auth/secrets-equal)\\.ts$',
        '^packages/(engine|protocol)/src/index\\.ts$',
        npm('hono|zod'),
      ],
    }),
    mustNotImport({
      name: 'wires-know-no-door',
      comment: 'A wire is mounted where it is wanted and cannot tell a door from the server but by its agent.',
      from: { path: '^packages/server/src/(wires|transports|requests|routes)/', pathNot: test },
      to: { path: '^packages/server/src/(doors/(?!door-plan)|start-server|create-app|open-house)' },
    }),
    mustNotImport({
      name: 'cli-knows-no-workbench',
      comment: 'The command reaches the workbench only through the server.',
      from: { path: '^packages/cli/src/' },
      to: { path: '^packages/web/' },
    }),

    mayOnlyImport({
      name: 'adapters-are-islands',
      comment: 'A backend knows the protocol, its port, the small ports it is handed and its own SDK.',
      from: `${engine}backends/([^/]+)/`,
      allowed: [
        `${engine}backends/$1/`,
        backendPort,
        `${engine}isolation/`,
        enginePorts,
        protocol,
        '(^|/)node_modules/',
      ],
    }),
    mustNotImport({
      name: 'claude-sdk-lives-in-its-adapter',
      comment: 'One SDK lives in one adapter.',
      from: { path: '^packages/', pathNot: [`${engine}backends/claude/`, test] },
      to: { path: npm('@anthropic-ai/claude-agent-sdk') },
    }),
    mustNotImport({
      name: 'model-sdks-live-in-the-loop',
      comment:
        'The provider clients belong to the in-process loop; the Claude adapter needs the message types, and embeddings come over the wire of OpenAI.',
      from: { path: '^packages/', pathNot: [`${engine}(backends/(loop|claude)|retrieval/embedders)/`, test] },
      to: { path: npm('@anthropic-ai/sdk|openai') },
    }),
    mustNotImport({
      name: 'ports-know-no-adapter',
      comment:
        'Ports meet adapters in create-engine.ts, and in open-log.ts and open-key-ring.ts, which open a data folder without an engine; index.ts lists names.',
      from: {
        path: engine,
        pathNot: [
          `${engine}(index|create-engine|open-log|open-key-ring)\\.ts$`,
          `${engine}(backends/[^/]+|store/(sql|memory))/`,
          test,
        ],
      },
      to: { path: [`${engine}backends/[^/]+/`, `${engine}store/(sql|memory)/`] },
    }),
    mayOnlyImport({
      name: 'sessions-know-ports',
      comment: 'Sessions know the ports, tools, money and redaction; never an adapter, the configuration or the evals.',
      from: `${engine}sessions/`,
      allowed: [
        `${engine}(sessions|processes|tools|money|redaction|audit|hooks)/`,
        `${engine}isolation/(refuse-folder|real-path)[.]ts$`,
        backendPort,
        storePort,
        enginePorts,
        protocol,
        npm('zod'),
      ],
    }),
    mayOnlyImport({
      name: 'processes-know-sessions',
      comment: 'Who runs when: processes know the sessions they are for and the ports; never an adapter or money.',
      from: `${engine}processes/`,
      allowed: [`${engine}(processes|sessions)/`, backendPort, storePort, enginePorts, protocol],
    }),
    mayOnlyImport({
      name: 'store-knows-protocol-only',
      comment: 'The store keeps what it is given, chains its audit and knows neither sessions nor backends.',
      from: `${engine}store/`,
      allowed: [`${engine}(store|audit)/`, enginePorts, protocol, npm('zod|kysely|libsql|@libsql/[^/]+')],
    }),
    mayOnlyImport({
      name: 'audit-knows-protocol-only',
      comment: 'The chain is hashes over what it is given; whatever keeps it is handed in.',
      from: `${engine}audit/`,
      allowed: [`${engine}audit/`, protocol, npm('zod')],
    }),
    mayOnlyImport({
      name: 'access-stands-before-the-doors',
      comment:
        'Who may do what is asked before the doors of sessions: their port and that of the store are all it sees.',
      from: `${engine}access/`,
      allowed: [`${engine}access/`, `${engine}sessions/session-service\\.ts$`, storePort, protocol],
    }),
    mayOnlyImport({
      name: 'keys-know-the-store-port',
      comment: 'Keys are names and hashes: what keeps them is handed in.',
      from: `${engine}keys/`,
      allowed: [`${engine}(keys|redaction)/`, storePort, enginePorts, protocol],
    }),
    mayOnlyImport({
      name: 'hooks-know-ports',
      comment: 'Hooks hear of a session by its events alone; the programs they ask are shut in like agents.',
      from: `${engine}hooks/`,
      allowed: [`${engine}(hooks|isolation)/`, backendPort, enginePorts, protocol, npm('zod')],
    }),
    mayOnlyImport({
      name: 'telemetry-only-listens',
      comment:
        'What is told of the house is made of events and numbers it is handed: no session, no backend, no store.',
      from: `${engine}telemetry/`,
      allowed: [`${engine}(telemetry|redaction)/`, enginePorts, protocol, npm('pino')],
    }),
    mustNotImport({
      name: 'sql-lives-in-the-store',
      comment:
        'Kysely and the drivers are known in store/sql/ only, and in retrieval/sql/, which keeps files of its own.',
      from: { path: '^packages/', pathNot: [`${engine}(store|retrieval)/sql/`, test] },
      to: { path: npm('kysely|libsql|@libsql/[^/]+') },
    }),
    mayOnlyImport({
      name: 'toolbox-knows-ports',
      comment:
        'Tools are run for a session that is only known by its ports; who asks models and documents is handed in.',
      from: `${engine}toolbox/`,
      allowed: [
        `${engine}(toolbox|isolation|redaction)/`,
        backendPort,
        enginePorts,
        protocol,
        npm('zod|ajv|@modelcontextprotocol/sdk|@swc/wasm-typescript'),
      ],
    }),
    mustNotImport({
      name: 'mcp-lives-in-the-toolbox',
      comment: 'The MCP SDK speaks with servers in the toolbox, and with the CLI in its adapter.',
      from: { path: '^packages/', pathNot: [`${engine}(toolbox|backends/claude)/`, test] },
      to: { path: npm('@modelcontextprotocol/sdk') },
    }),
    mayOnlyImport({
      name: 'retrieval-knows-ports',
      comment: 'Documents are read, kept and searched without knowing sessions, backends or the event log.',
      from: `${engine}retrieval/`,
      allowed: [
        `${engine}(retrieval|redaction)/`,
        backendPort,
        enginePorts,
        protocol,
        npm('zod|parse5|openai|libsql|@energetic-ai/[^/]+'),
      ],
    }),
    mayOnlyImport({
      name: 'evals-know-the-session-service',
      comment: 'Evaluations drive sessions as a client would; adapters, store and server stay unknown.',
      from: `${engine}evals/`,
      allowed: [
        `${engine}(evals|config)/`,
        `${engine}sessions/session-service\\.ts$`,
        `${engine}backends/empty-result\\.ts$`,
        enginePorts,
        protocol,
        '(^|/)node_modules/(?!@anthropic-ai/|openai/|kysely/|libsql/)',
      ],
    }),

    mayOnlyImport({
      name: 'web-runs-in-a-browser',
      comment: 'The workbench knows the protocol and UI libraries: no engine, no server, no Node built-in.',
      from: '^packages/web/src/',
      allowed: ['^packages/web/src/', protocol, '(^|/)node_modules/', '\\?(url|raw|worker)$'],
      core: 'forbidden',
    }),
    mustNotImport({
      name: 'web-knows-protocol-only',
      comment: 'Also in its tests the workbench talks to the rest through the API.',
      from: { path: '^packages/web/' },
      to: { path: '^packages/(?!web/|protocol/)' },
    }),
    mustNotImport({
      name: 'features-are-islands',
      comment: 'A feature never imports another feature: what they share belongs into state/ or ui/.',
      from: { path: '^packages/web/src/features/([^/]+)/' },
      to: { path: '^packages/web/src/(features|routes)/', pathNot: '^packages/web/src/features/$1/' },
    }),
    mustNotImport({
      name: 'state-is-plain-typescript',
      comment: 'State is folded from the protocol and testable without a page.',
      from: { path: '^packages/web/src/state/', pathNot: test },
      to: { path: ['^packages/web/src/(?!state/)', npm('react|react-dom|@tanstack/[^/]+|lucide-react')] },
    }),
    mustNotImport({
      name: 'ui-parts-are-dumb',
      comment: 'A part shows what it is given and knows no session, feature or route.',
      from: { path: '^packages/web/src/ui/', pathNot: test },
      to: { path: '^packages/web/src/(features|routes|state)/' },
    }),

    mustNotImport({
      name: 'analysis-is-plain-typescript',
      comment: 'Data is worked with without a page: no React, nothing that shows.',
      from: { path: analysis, pathNot: test },
      to: {
        path: [
          '^packages/web/src/(?!analysis/|state/)',
          npm('react|react-dom|@tanstack/[^/]+|lucide-react|@types/react'),
        ],
      },
    }),
    mustNotImport({
      name: 'duckdb-lives-in-duck',
      comment: 'One database in one room, and the Arrow bytes it speaks with it: others hand over rows or IPC streams.',
      from: { path: '^packages/', pathNot: [`${analysis}duck/`, test] },
      to: { path: ['(^|/)@duckdb/', npm('apache-arrow')] },
    }),
    mustNotImport({
      name: 'file-readers-live-in-import',
      comment: 'What reads foreign files is met where files come in, and nowhere else.',
      from: { path: '^packages/', pathNot: [`${analysis}import/`, test] },
      to: { path: ['(^|/)(parquet-wasm|@e965/xlsx|sql\\.js)/'] },
    }),
    mustNotImport({
      name: 'vega-lives-in-chart',
      comment: 'Charts are chosen in our own words; only chart/ makes specifications of them and draws.',
      from: { path: '^packages/', pathNot: [`${analysis}chart/`, test] },
      to: { path: npm('vega|vega-[^/]+') },
    }),
    mayOnlyImport({
      name: 'analysis-workers-are-islands',
      comment:
        'Database, files, what is kept, sandbox, profile and samples know the contracts and Arrow bytes, never each other: the workspace joins them.',
      from: `${analysis}(duck|import|kept|samples|sandbox|profile)/`,
      allowed: [
        `${analysis}$1/`,
        analysisContracts,
        `${analysis}duck/ipc\\.ts$`,
        '^packages/web/src/state/',
        protocol,
        '(^|/)node_modules/',
        '\\?(url|raw|worker)$',
      ],
      core: 'forbidden',
    }),
    mayOnlyImport({
      name: 'analysis-reasoning-is-pure',
      comment:
        'What may be sent, what is stale, what proves a number, what is drawn and exported is decided from values: no database, no storage, no frame.',
      from: `${analysis}(privacy|steps|proof|chart|export)/`,
      allowed: [
        `${analysis}$1/`,
        analysisContracts,
        `${analysis}steps/`,
        protocol,
        npm('vega|vega-lite|vega-interpreter'),
      ],
      core: 'forbidden',
    }),
    mustNotImport({
      name: 'runs-are-handed-their-rooms',
      comment: 'A run and its tools know the ports of database, sandbox and storage; the workspace hands them in.',
      from: { path: `${analysis}(runs|tools)/`, pathNot: test },
      to: {
        path: `${analysis}(duck|import|kept|samples|profile|sandbox)/`,
        pathNot: `${analysis}sandbox/sandbox\\.ts$`,
      },
    }),
    mustNotImport({
      name: 'pages-ask-the-workspace',
      comment:
        'Pages never touch the database, the sandbox or a run: whatever is read or sent goes through the workspace.',
      from: { path: '^packages/web/src/(features|routes|hooks|ui|state)/', pathNot: test },
      to: { path: `${analysis}(duck|sandbox|runs|tools|privacy|workspace)/` },
    }),
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
