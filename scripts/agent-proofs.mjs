// The test that shows the effect of a field of the agent file, if its title does not begin with the field.
const engine = 'packages/engine/src'
const whole = `${engine}/config/load-whole-agent.test.ts`
const rules = `${engine}/config/check/agent-rules.test.ts`
const toolRules = `${engine}/config/check/tool-rules.test.ts`
const refused = `${engine}/config/schema/unsupported.test.ts`
const functions = `${engine}/toolbox/function-tool.test.ts`
const servers = `${engine}/toolbox/mcp/mcp-server.test.ts`
const sessions = `${engine}/toolbox/tool-sessions.contract.ts`
const prompts = `${engine}/toolbox/prompt-tool.test.ts`
const search = `${engine}/retrieval/create-retrieval.test.ts`
const chunks = `${engine}/retrieval/chunking/chunk-document.test.ts`
const reading = `${engine}/retrieval/reading/read-document.test.ts`
const ranks = `${engine}/retrieval/search/search-passages.test.ts`
const embedders = `${engine}/retrieval/embedders/openai-embedder.test.ts`
const loopRequests = `${engine}/backends/loop/loop-requests.test.ts`
const loopSession = `${engine}/backends/loop/loop-session.test.ts`
const wire = `${engine}/backends/loop/wire/wire-parameters.test.ts`
const providers = 'packages/server/src/models/other-providers.test.ts'
const hooks = `${engine}/hooks/agent-hooks.test.ts`
const runs = `${engine}/evals/run-tests.test.ts`
const measures = `${engine}/evals/measure-text.test.ts`
const matches = `${engine}/evals/match-tools.test.ts`
const questions = `${engine}/evals/build-test-message.test.ts`

const traces = [
  `${engine}/telemetry/trace-sessions.test.ts`,
  'is exported as spans with the names of the conventions and without content',
]
const list = [`${engine}/config/registry/agent-registry.test.ts`, 'describes each agent']
const ownWords = [whole, 'overrides the fields of the file it extends']
const reaches = [providers, '$agent calls its provider with its own key, and its usage is booked once']
const others = [wire, 'get the settings of the agent file under the names that the server knows']
const noEffect = [whole, 'warns about every setting without an effect']
const records = [search, 'searches the named fields of records and shows the others with the result']
const prefixes = [reading, 'have their prefixes and separator']
const filtering = [loopSession, 'offers the tools that match the message, those always wanted, and those used most']
const weights = [ranks, 'follows the weights']
const lists = [servers, 'has only the tools that its lists and those of the agent allow']
const remote = [
  `${engine}/toolbox/mcp/mcp-over-http.test.ts`,
  'is called; a crash during a call is an error result, and the next call reconnects',
]
const asked = [prompts, 'a prompt tool asks the model of the session, or its own, and returns the answer']
const notYet = [runs, 'that are not supported yet are refused by name before anything runs, unless they are disabled']
const equality = [measures, 'scores answer and ground truth %j with %j as %d']
const files = [questions, 'puts named text files before the input, and attaches images']
const wholeCases = [whole, 'are resolved to cases with turns, tools, files and metrics']
const refusedFurther = [refused, 'is refused as a nested field or value: %s']
const onlyWarned = [refused, 'causes only a warning when HoloDeck behaves that way anyway: %s']
const embedding = [embedders, 'work with OpenAI, Azure and Ollama']

/** @type {Readonly<Record<string, readonly string[]>>} */
export const proofs = {
  name: list,
  description: list,
  author: ownWords,
  'model.provider': reaches,
  'model.endpoint': reaches,
  'model.api_key': [
    `${engine}/config/credentials/credentials.test.ts`,
    'prefers the key of the file over the environment',
  ],
  'model.api_version': [
    `${engine}/backends/loop/wire/openai-wire.test.ts`,
    'finds an Azure deployment by the model, with Azure’s version parameter and key header',
  ],
  'model.temperature': others,
  'model.top_p': others,
  'claude.disable_subprocess_env_scrub': [toolRules, 'disable_subprocess_env_scrub'],
  'claude.i_understand_this_is_unsafe': [rules, 'confirmed acceptAll'],
  'limits.max_turns': [
    `${engine}/backends/backend.contract.ts`,
    'returns a result with the table’s reason at the turn limit',
  ],
  'limits.max_budget_usd': [
    `${engine}/money/session-spending.test.ts`,
    'stops the session before a request that does not fit, warns once at four fifths, and continues after a raise',
  ],
  'limits.max_duration': [
    `${engine}/sessions/api/create-session-service.test.ts`,
    'ends as a time-out when it exceeds its time limit',
  ],
  'approvals.allow': [
    `${engine}/permissions/rules/match-rule.test.ts`,
    'can be combined with other rules for one line',
  ],
  'approvals.deny': [
    `${engine}/permissions/permission-check.test.ts`,
    'is checked against deny rules even in acceptAll mode',
  ],
  'approvals.expires_after': [
    `${engine}/sessions/api/create-session-service.test.ts`,
    'expires a question that is not answered in time',
  ],
  model_source: [`${engine}/config/resolve/resolve-model.test.ts`, 'comes from the first of %j: %s'],
  gateway: [`${engine}/config/credentials/credentials.test.ts`, 'passes the key itself when the gateway is off'],
  backend: [sessions, 'run in parallel: a function, and the servers from npm over stdio'],
  'workspace.mode': [
    `${engine}/sessions/launch/prepare-workspace.test.ts`,
    'copies a folder that contains the data folder, without the data folder',
  ],
  on_crash: [`${engine}/sessions/turns/turn-loop.test.ts`, 'an agent that says %s has %d messages'],
  starters: list,
  'tools[].name': [`${engine}/permissions/host-tool-rules.test.ts`, '%s matches a rule with any of its names'],
  'tools[].critical': [
    `${engine}/backends/driver/critical-tool.test.ts`,
    'tool execution failed: ends the turn as failed with its name, and the session continues',
  ],
  'tools[].defer_loading': noEffect,
  'tools[function].type': [functions, 'is a TypeScript module with a zod schema that can import its neighbours'],
  'tools[function].file': [functions, 'is a TypeScript module with a zod schema that can import its neighbours'],
  'tools[function].function': [functions, 'is refused at the start if its module or its export is missing'],
  'tools[].parameters': [functions, 'may be JavaScript with a JSON Schema in the agent file, which takes precedence'],
  'tools[].env': [functions, 'sees only its declared variables, PATH and HOME, and their secrets do not reach a model'],
  'tools[function].timeout': [
    functions,
    'is stopped if it never ends, exits its process or uses too much memory, and the next call gets a new worker',
  ],
  'tools[mcp].description': [whole, 'resolves its tools with absolute paths and times in milliseconds'],
  'tools[mcp].type': [
    servers,
    'offers its tools under its name and returns text, images, links, resources and structured content',
  ],
  'tools[mcp].transport': remote,
  'tools[mcp].command': [servers, 'works with files and keeps state, like the servers from npm'],
  'tools[mcp].url': remote,
  'tools[mcp].file': [servers, 'is created by a module of the project, and is restarted like any other'],
  'tools[mcp].function': [servers, 'is created by a module of the project, and is restarted like any other'],
  'tools[mcp].timeout': [servers, 'in time is refused'],
  'tools[mcp].request_timeout': [
    servers,
    'may take long while it reports progress, and is otherwise cancelled at the server',
  ],
  'tools[mcp].load_prompts': onlyWarned,
  'tools[mcp].allowed_tools': lists,
  'tools[mcp].disallowed_tools': lists,
  'tools[mcp].is_retrieval': [
    `${engine}/evals/evaluate-turn.test.ts`,
    'collects successful results of search tools and of MCP servers marked is_retrieval',
  ],
  'tools[mcp].registry_name': [whole, 'resolves its tools with absolute paths and times in milliseconds'],
  'tools[].on_failure': [search, 'is left out with a warning if the file sets on_failure: warn'],
  'tools[prompt].type': asked,
  'tools[prompt].template': asked,
  'tools[prompt].model.provider': [toolRules, 'a prompt tool of another provider'],
  'tools[prompt].model.name': asked,
  'tools[prompt].model.max_tokens': asked,
  'tools[prompt].model.temperature': asked,
  'tools[client].type': [sessions, 'may be a model request, or wait for a client that is not connected yet'],
  'tools[skill].type': [
    `${engine}/toolbox/skill-tool.test.ts`,
    'a skill returns its instructions without front matter and lists its other files',
  ],
  'tools[skill].folder': [`${engine}/toolbox/skill-tool.test.ts`, 'a skill refuses to read %s'],
  'tools[vectorstore].type': [search, 'searches documents by meaning, with the similarity as score'],
  'tools[].source': [
    `${engine}/retrieval/reading/find-sources.test.ts`,
    'accepts a folder recursively and names the files it leaves out',
  ],
  'tools[vectorstore].vector_field': records,
  'tools[vectorstore].id_field': records,
  'tools[vectorstore].meta_fields': records,
  'tools[vectorstore].record_path': [reading, 'follow record_path and inherit missing fields from their parents'],
  'tools[vectorstore].record_prefix': prefixes,
  'tools[vectorstore].meta_prefix': prefixes,
  'tools[vectorstore].field_separator': prefixes,
  'tools[vectorstore].delimiter': [reading, 'accepts a configured delimiter, even of several characters'],
  'tools[vectorstore].chunk_size': [chunks, 'the size of passages'],
  'tools[].chunk_overlap': [chunks, 'starts a passage with the end of the previous one in the same section'],
  'tools[vectorstore].embedding_dimensions': [embedders, 'have the requested length'],
  'tools[vectorstore].database.provider': [
    `${engine}/config/merge/apply-config.test.ts`,
    'are refused when unknown, or when their provider is not supported',
  ],
  'tools[vectorstore].database.connection_string': [toolRules, 'a connection string for the embedded store'],
  'tools[vectorstore].top_k': [
    search,
    'returns top_k results, or as many as the call requests, and none below min_score',
  ],
  'tools[vectorstore].min_similarity_score': [
    search,
    'returns top_k results, or as many as the call requests, and none below min_score',
  ],
  'tools[hierarchical_document].type': [search, 'returns source, location, score, text, definitions and references'],
  'tools[hierarchical_document].chunking_strategy': [chunks, 'considers only the size and treats headings as text'],
  'tools[hierarchical_document].max_chunk_tokens': [chunks, 'the size of passages'],
  'tools[hierarchical_document].document_domain': refusedFurther,
  'tools[hierarchical_document].max_subsection_depth': [
    chunks,
    'splits the numbering to max_subsection_depth, including letters',
  ],
  'tools[hierarchical_document].search_mode': [
    search,
    'searches in its mode and embeds nothing without semantic search',
  ],
  'tools[hierarchical_document].top_k': [
    search,
    'returns top_k results, or as many as the call requests, and none below min_score',
  ],
  'tools[hierarchical_document].min_score': [
    search,
    'returns top_k results, or as many as the call requests, and none below min_score',
  ],
  'tools[hierarchical_document].semantic_weight': weights,
  'tools[hierarchical_document].keyword_weight': weights,
  'tools[hierarchical_document].exact_weight': weights,
  'tools[hierarchical_document].rrf_k': [ranks, 'gives the top ranks more weight for a smaller k'],
  'tools[hierarchical_document].contextual_embeddings': [
    search,
    'embeds passages with their headings, unless disabled',
  ],
  'tools[hierarchical_document].extract_definitions': [chunks, 'extracts nothing unless configured'],
  'tools[hierarchical_document].extract_cross_references': [chunks, 'extracts nothing unless configured'],
  'tools[hierarchical_document].enable_reranking': refusedFurther,
  'tools[hierarchical_document].database': [
    `${engine}/config/merge/apply-config.test.ts`,
    'resolve the database name of both kinds of search tools',
  ],
  'tools[hierarchical_document].keyword_index.provider': refusedFurther,
  'embedding_provider.provider': embedding,
  'embedding_provider.name': embedding,
  'embedding_provider.endpoint': embedding,
  'embedding_provider.api_key': [
    `${engine}/config/credentials/credentials.test.ts`,
    'supports embeddings from another provider with a separate key',
  ],
  'embedding_provider.api_version': [
    `${engine}/config/credentials/credentials.test.ts`,
    'supports embeddings from another provider with a separate key',
  ],
  'embedding_provider.max_tokens': noEffect,
  'embedding_provider.temperature': noEffect,
  'embedding_provider.top_p': noEffect,
  'tool_filtering.top_k': filtering,
  'tool_filtering.similarity_threshold': filtering,
  'tool_filtering.always_include': filtering,
  'tool_filtering.always_include_top_n_used': filtering,
  'tool_filtering.search_method': [loopSession, 'ranks by meaning if configured'],
  'openai.effort': others,
  'openai.fallback_model': [loopRequests, 'use the fallback model when their own is overloaded and report it'],
  'hooks[].event': [hooks, 'hooks.event: handles only that event'],
  'hooks[].matcher': [hooks, 'hooks.matcher: %j matches %s: %s'],
  'hooks[].action': [hooks, 'hooks.action: log writes the event into the log without secrets, and decides nothing'],
  'hooks[].message': [hooks, 'hooks.action: reject refuses with its message, in the format of the event'],
  'hooks[].input': [hooks, 'hooks.action: modify merges its input over the call, and the next hook sees the result'],
  'hooks[].command': [hooks, 'gets the event on stdin and decides with its output'],
  'hooks[].timeout': [hooks, 'takes too long'],
  'evaluations.model': notYet,
  'evaluations.metrics[].enabled': [runs, 'are skipped when they are disabled or when there is no ground truth'],
  'evaluations.metrics[].fail_on_error': [
    runs,
    'that cannot be measured fail the case, or are an evaluation error with fail_on_error',
  ],
  'evaluations.metrics[standard].type': wholeCases,
  'evaluations.metrics[standard].metric': equality,
  'evaluations.metrics[].threshold': [measures, 'passes a score of 0 only if the threshold allows it'],
  'evaluations.metrics[standard].scale': notYet,
  'evaluations.metrics[].model': notYet,
  'evaluations.metrics[standard].retry_on_failure': notYet,
  'evaluations.metrics[standard].timeout_ms': notYet,
  'evaluations.metrics[standard].custom_prompt': notYet,
  'evaluations.metrics[standard].case_insensitive': equality,
  'evaluations.metrics[standard].strip_whitespace': equality,
  'evaluations.metrics[standard].strip_punctuation': equality,
  'evaluations.metrics[standard].absolute_tolerance': notYet,
  'evaluations.metrics[standard].relative_tolerance': notYet,
  'evaluations.metrics[standard].accept_percent': notYet,
  'evaluations.metrics[standard].accept_thousands_separators': notYet,
  'evaluations.metrics[standard].response_path': [measures, 'is read at the response_path %s'],
  'evaluations.metrics[geval].type': notYet,
  'evaluations.metrics[].name': notYet,
  'evaluations.metrics[geval].criteria': notYet,
  'evaluations.metrics[geval].evaluation_steps': notYet,
  'evaluations.metrics[geval].evaluation_params': notYet,
  'evaluations.metrics[geval].strict_mode': notYet,
  'evaluations.metrics[rag].type': notYet,
  'evaluations.metrics[rag].metric_type': notYet,
  'evaluations.metrics[rag].threshold': notYet,
  'evaluations.metrics[rag].include_reason': notYet,
  'evaluations.metrics[code].type': notYet,
  'evaluations.metrics[code].grader': notYet,
  'test_cases[].name': [runs, 'runs in its own task session, which has the name of the case and is closed'],
  'test_cases[].input': [runs, 'runs in its own task session, which has the name of the case and is closed'],
  'test_cases[].turns[].input': [runs, 'runs in one session in order, and is reported as a whole and by turn'],
  'test_cases[].turns[].ground_truth': [runs, 'runs in one session in order, and is reported as a whole and by turn'],
  'test_cases[].turns[].expected_tools[].name': [
    matches,
    'matches part of the name case-sensitively, in any order and among other calls',
  ],
  'test_cases[].turns[].expected_tools[].args': [matches, 'requires all arguments in one call'],
  'test_cases[].turns[].expected_tools[].count': [matches, 'requires the minimum number of calls'],
  'test_cases[].turns[].files[].path': files,
  'test_cases[].turns[].files[].type': files,
  'test_cases[].turns[].files[].description': files,
  'test_cases[].turns[].evaluations': [
    runs,
    'of the message override those of the case, which override those of the agent',
  ],
  'test_cases[].turns[].turn_config': [
    `${engine}/config/resolve/resolve-tests.test.ts`,
    'warn that turn_config has no effect yet',
  ],
  'test_cases[].ground_truth': [runs, 'fails the default comparison when its ground truth is not in the answer'],
  'test_cases[].expected_tools': [runs, 'fails when an expected tool was not called, and passes when it was'],
  'test_cases[].files': files,
  'test_cases[].evaluations': [runs, 'of the message override those of the case, which override those of the agent'],
  test_cases_file: [
    `${engine}/config/resolve/resolve-tests.test.ts`,
    'may be in a separate file, as a list or below test_cases',
  ],
  'execution.llm_timeout': [
    `${engine}/sessions/turns/turn-timeout.test.ts`,
    'timeout exceeded: ends as timeout, names the limit, and the session continues',
  ],
  'execution.parallel_test_cases': [runs, 'runs several cases at once, and reports them in file order'],
  extends: [`${engine}/config/merge/read-extended.test.ts`, 'merges maps, replaces lists and clears with null'],
  allow_outside: [`${engine}/config/yaml/project-path.test.ts`, 'can be left with allow_outside'],
  'observability.service_name': traces,
  'observability.resource_attributes': traces,
  'observability.exporters.otlp.headers': traces,
  'observability.exporters.otlp.compression': traces,
}
