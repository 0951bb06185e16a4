// The script of the harness page: modules of Data by name. A page loads only the modules that its test names.
const loaders = {
  client: () => import('@quarterdeck/client'),
  browserStorage: () => import('../../../packages/web/src/data/storage/open-browser-storage.ts'),
  drawing: () => import('../../../packages/web/src/data/charts/chart-drawing.ts'),
  duck: () => import('../../../packages/web/src/data/engine/create-query-engine.ts'),
  errors: () => import('../../../packages/web/src/data/storage/browser-storage.ts'),
  ipc: () => import('../../../packages/web/src/data/engine/arrow/ipc.ts'),
  joins: () => import('../../../packages/web/src/data/profile/suggest-joins.ts'),
  load: () => import('../../../packages/web/src/data/import/import-file.ts'),
  plan: () => import('../../../packages/web/src/data/import/plan-file.ts'),
  planCsv: () => import('../../../packages/web/src/data/import/csv/plan-csv.ts'),
  privacy: () => import('../../../packages/web/src/data/privacy/describe-tables.ts'),
  profile: () => import('../../../packages/web/src/data/profile/profile-table.ts'),
  raw: () => import('@duckdb/duckdb-wasm'),
  recorder: () => import('../../../packages/web/src/data/steps/memory-step-recorder.fixture.ts'),
  recording: () => import('../../../packages/web/src/data/privacy/recording-fetch.ts'),
  render: () => import('../../../packages/web/src/data/charts/render-chart.ts'),
  samples: () => import('../../../packages/web/src/data/samples/samples.ts'),
  codeFrame: () => import('../../../packages/web/src/data/code-frame/create-code-frame.ts'),
  screen: () => import('../../../packages/web/src/data/ui/analysis/chart-screen.fixture.tsx'),
  source: () => import('../../../packages/web/src/data/import/source/source-file.ts'),
  spec: () => import('../../../packages/web/src/data/charts/spec/spec-for.ts'),
  suggested: () => import('../../../packages/web/src/data/ui/tables/suggested-questions.ts'),
  theme: () => import('../../../packages/web/src/data/charts/spec/chart-theme.ts'),
  tools: () => import('../../../packages/web/src/data/tools/create-analysis-tools.ts'),
  worker: () => import('../../../packages/web/src/data/import/worker/in-worker.ts'),
}

export type HarnessModules = { readonly [Name in keyof typeof loaders]: Awaited<ReturnType<(typeof loaders)[Name]>> }

Object.assign(globalThis, { loaders })
