// The test that shows what a field of the agent file does, where its title does not begin with the field.
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
const ranks = `${engine}/retrieval/search/fuse-ranks.test.ts`
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
  'is told as spans in the names of the conventions, without a word of what was said',
]
const list = [`${engine}/config/registry/agent-registry.test.ts`, 'shows what each agent is']
const ownWords = [whole, 'has its own words before those of the file it extends']
const reaches = [providers, '$agent reaches its provider with its own key, and what it used is booked once']
const others = [wire, 'get the settings of the agent file by the name the server knows']
const noEffect = [whole, 'warns of every word that has no effect here']
const records = [search, 'searches named fields of records and shows others beside them']
const prefixes = [reading, 'carry their prefixes and separator']
const filtering = [loopSession, 'offers the tools that fit the message, those always wanted, and those used most']
const weights = [ranks, 'follows the weights']
const lists = [servers, 'has only the tools that its lists and those of the agent leave it']
const remote = [servers, 'is called; when it falls under a call that is an error result, and the next finds it again']
const asked = [prompts, 'a prompt tool asks the model of the session, or its own, and returns what it says']
const notYet = [runs, 'nobody can measure yet are refused by name before anything runs, unless they are switched off']
const equality = [measures, 'of the answer and the truth %j with %j is %d']
const files = [questions, 'puts texts before the words, each with its name, and pictures beside them']
const wholeCases = [whole, 'are cases with their turns, tools, files and metrics']
const refusedFurther = [refused, 'a field or value further in: %s']
const onlyWarned = [refused, 'but what HoloDeck does anyway only warns: %s']
const embedding = [embedders, 'come from OpenAI, Azure and Ollama alike']

/** @type {Readonly<Record<string, readonly string[]>>} */
export const proofs = {
  name: list,
  description: list,
  author: ownWords,
  'model.provider': reaches,
  'model.endpoint': reaches,
  'model.api_key': [
    `${engine}/config/credentials/credentials.test.ts`,
    'uses the key of the file before the one of the environment',
  ],
  'model.api_version': [
    `${engine}/backends/loop/wire/openai-wire.test.ts`,
    'finds an Azure deployment by the model, with the version and the key where Azure wants them',
  ],
  'model.temperature': others,
  'model.top_p': others,
  'claude.disable_subprocess_env_scrub': [toolRules, 'a scrubbing that does not happen'],
  'claude.i_understand_this_is_unsafe': [rules, 'acceptAll that is meant'],
  'limits.max_turns': [
    `${engine}/backends/backend.contract.ts`,
    'returns a result with the table’s reason at the turn limit',
  ],
  'limits.max_budget_usd': [
    `${engine}/money/session-spending.test.ts`,
    'stops it before the request that does not fit, says so once at four fifths, and lets it go on after a raise',
  ],
  'limits.max_duration': [
    `${engine}/sessions/api/create-session-service.test.ts`,
    'that outlasts its time limit ends as a time-out',
  ],
  'approvals.allow': [
    `${engine}/permissions/rules/match-rule.test.ts`,
    'lets different rules allow the commands of one line',
  ],
  'approvals.deny': [`${engine}/permissions/permission-check.test.ts`, 'holds deny rules in acceptAll too'],
  'approvals.expires_after': [
    `${engine}/sessions/api/create-session-service.test.ts`,
    'lets a question lapse that nobody answered in time',
  ],
  model_source: [`${engine}/config/resolve/model-source.test.ts`, 'comes from the first of %j: %s'],
  gateway: [`${engine}/config/credentials/credentials.test.ts`, 'hands the key itself when the gateway is off'],
  backend: [sessions, 'are called side by side: a function, and the servers from npm over stdio'],
  'workspace.mode': [
    `${engine}/sessions/launch/prepare-workspace.test.ts`,
    'copies a folder that holds the data folder itself, without it',
  ],
  on_crash: [`${engine}/sessions/turns/turn-loop.test.ts`, 'an agent that says %s has %d messages'],
  starters: list,
  'tools[].name': [`${engine}/permissions/host-tool-rules.test.ts`, '%s is meant by a rule with any of its names'],
  'tools[].critical': [
    `${engine}/backends/driver/critical-tool.test.ts`,
    'tool execution failed: ends the turn as failed with its own name, and the session goes on',
  ],
  'tools[].defer_loading': noEffect,
  'tools[function].type': [
    functions,
    'is a TypeScript module that takes what its zod schema says, and imports its neighbours',
  ],
  'tools[function].file': [
    functions,
    'is a TypeScript module that takes what its zod schema says, and imports its neighbours',
  ],
  'tools[function].function': [functions, 'is refused at the start when its module or its export is not there'],
  'tools[].parameters': [functions, 'may be JavaScript with a JSON Schema in the agent file, which then decides'],
  'tools[].env': [
    functions,
    'sees the variables it declares beside PATH and HOME, and no others; no model sees their secrets',
  ],
  'tools[function].timeout': [
    functions,
    'by never ending, ending its process, or eating memory is stopped; the next call finds a new worker',
  ],
  'tools[mcp].description': [whole, 'has its tools, paths absolute and numbers in milliseconds'],
  'tools[mcp].type': [
    servers,
    'offers its tools under its name: text, pictures, links, resources and structured content come back',
  ],
  'tools[mcp].transport': remote,
  'tools[mcp].command': [servers, 'works with files and remembers, as the servers from npm do'],
  'tools[mcp].url': remote,
  'tools[mcp].file': [servers, 'is made by a module of the project, and falls and comes back like any other'],
  'tools[mcp].function': [servers, 'is made by a module of the project, and falls and comes back like any other'],
  'tools[mcp].timeout': [servers, 'in time is refused'],
  'tools[mcp].request_timeout': [
    servers,
    'may take long while there is progress, and is given up without, which the server is told',
  ],
  'tools[mcp].load_prompts': onlyWarned,
  'tools[mcp].allowed_tools': lists,
  'tools[mcp].disallowed_tools': lists,
  'tools[mcp].is_retrieval': [
    `${engine}/evals/retrieval-context.test.ts`,
    'is what search tools and servers that count as such returned, failures left out',
  ],
  'tools[mcp].registry_name': [whole, 'has its tools, paths absolute and numbers in milliseconds'],
  'tools[].on_failure': [search, 'is left out with a warning when the file says on_failure: warn'],
  'tools[prompt].type': asked,
  'tools[prompt].template': asked,
  'tools[prompt].model.provider': [toolRules, 'a prompt tool of another provider'],
  'tools[prompt].model.name': asked,
  'tools[prompt].model.max_tokens': asked,
  'tools[prompt].model.temperature': asked,
  'tools[client].type': [sessions, 'may be a question to a model, or wait for a client that is not there yet'],
  'tools[skill].type': [
    `${engine}/toolbox/skill-tool.test.ts`,
    'a skill gives its instructions without what stands before them, and names its other files',
  ],
  'tools[skill].folder': [`${engine}/toolbox/skill-tool.test.ts`, 'a skill reads nothing at %s'],
  'tools[vectorstore].type': [search, 'searches documents by meaning, with the similarity as score'],
  'tools[].source': [
    `${engine}/retrieval/reading/find-sources.test.ts`,
    'takes a folder with everything below it, and names what it leaves out',
  ],
  'tools[vectorstore].vector_field': records,
  'tools[vectorstore].id_field': records,
  'tools[vectorstore].meta_fields': records,
  'tools[vectorstore].record_path': [reading, 'follow record_path and take what they lack from what they stand in'],
  'tools[vectorstore].record_prefix': prefixes,
  'tools[vectorstore].meta_prefix': prefixes,
  'tools[vectorstore].field_separator': prefixes,
  'tools[vectorstore].delimiter': [reading, 'takes a delimiter that was said, of more than one character too'],
  'tools[vectorstore].chunk_size': [chunks, 'the size of passages'],
  'tools[].chunk_overlap': [chunks, 'begins a passage with the end of the one before, in the same section'],
  'tools[vectorstore].embedding_dimensions': [embedders, 'have the length that was asked for'],
  'tools[vectorstore].database.provider': [
    `${engine}/config/merge/apply-config.test.ts`,
    'that nobody wrote are an error, and foreign ones are refused by name',
  ],
  'tools[vectorstore].database.connection_string': [toolRules, 'a connection to the store that has none'],
  'tools[vectorstore].top_k': [
    search,
    'returns as many as top_k says, or as the call asks for, and none below min_score',
  ],
  'tools[vectorstore].min_similarity_score': [
    search,
    'returns as many as top_k says, or as the call asks for, and none below min_score',
  ],
  'tools[hierarchical_document].type': [
    search,
    'gives source, location, score, text, and what the text defines and refers to',
  ],
  'tools[hierarchical_document].chunking_strategy': [chunks, 'only looks at the size: headings stand in the text'],
  'tools[hierarchical_document].max_chunk_tokens': [chunks, 'the size of passages'],
  'tools[hierarchical_document].document_domain': refusedFurther,
  'tools[hierarchical_document].max_subsection_depth': [
    chunks,
    'goes as deep into the numbering as max_subsection_depth says, letters included',
  ],
  'tools[hierarchical_document].search_mode': [
    search,
    'searches the way its mode says, and embeds nothing where meaning is not asked for',
  ],
  'tools[hierarchical_document].top_k': [
    search,
    'returns as many as top_k says, or as the call asks for, and none below min_score',
  ],
  'tools[hierarchical_document].min_score': [
    search,
    'returns as many as top_k says, or as the call asks for, and none below min_score',
  ],
  'tools[hierarchical_document].semantic_weight': weights,
  'tools[hierarchical_document].keyword_weight': weights,
  'tools[hierarchical_document].exact_weight': weights,
  'tools[hierarchical_document].rrf_k': [ranks, 'lets the first places count for more the smaller k is'],
  'tools[hierarchical_document].contextual_embeddings': [
    search,
    'embeds passages with the headings above them, unless told not to',
  ],
  'tools[hierarchical_document].extract_definitions': [chunks, 'is nothing unless asked for'],
  'tools[hierarchical_document].extract_cross_references': [chunks, 'is nothing unless asked for'],
  'tools[hierarchical_document].enable_reranking': refusedFurther,
  'tools[hierarchical_document].database': [
    `${engine}/config/merge/apply-config.test.ts`,
    'stand for the name a tool of either type gives',
  ],
  'tools[hierarchical_document].keyword_index.provider': refusedFurther,
  'embedding_provider.provider': embedding,
  'embedding_provider.name': embedding,
  'embedding_provider.endpoint': embedding,
  'embedding_provider.api_key': [
    `${engine}/config/credentials/credentials.test.ts`,
    'has vectors from another provider than answers, with a key of its own',
  ],
  'embedding_provider.api_version': [
    `${engine}/config/credentials/credentials.test.ts`,
    'has vectors from another provider than answers, with a key of its own',
  ],
  'embedding_provider.max_tokens': noEffect,
  'embedding_provider.temperature': noEffect,
  'embedding_provider.top_p': noEffect,
  'tool_filtering.top_k': filtering,
  'tool_filtering.similarity_threshold': filtering,
  'tool_filtering.always_include': filtering,
  'tool_filtering.always_include_top_n_used': filtering,
  'tool_filtering.search_method': [loopSession, 'goes by meaning where it is told how'],
  'openai.effort': others,
  'openai.fallback_model': [loopRequests, 'asks the fallback model when its own is overloaded, and says so'],
  'hooks[].event': [hooks, 'hooks.event: only that one is heard'],
  'hooks[].matcher': [hooks, 'hooks.matcher: %j fits %s: %s'],
  'hooks[].action': [
    hooks,
    'hooks.action: log writes what happened into the log, without secrets, and decides nothing',
  ],
  'hooks[].message': [hooks, 'hooks.action: reject refuses with its message, in the words of the event'],
  'hooks[].input': [hooks, 'hooks.action: modify lays its input over the call’s, and the next hook sees that'],
  'hooks[].command': [hooks, 'gets the event on its stdin and is answered for by what it prints'],
  'hooks[].timeout': [hooks, 'takes too long'],
  'evaluations.model': notYet,
  'evaluations.metrics[].enabled': [
    runs,
    'that are switched off are not measured, and without ground truth there is nothing to compare',
  ],
  'evaluations.metrics[].fail_on_error': [
    runs,
    'that cannot be measured fail the case, and are an evaluation error where they may not',
  ],
  'evaluations.metrics[standard].type': wholeCases,
  'evaluations.metrics[standard].metric': equality,
  'evaluations.metrics[].threshold': [measures, 'passes below its mark only where a threshold lets it'],
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
  'evaluations.metrics[standard].response_path': [measures, 'is looked into by response_path %s'],
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
  'test_cases[].name': [runs, 'runs in a task session of its own that is closed, under the name of the case'],
  'test_cases[].input': [runs, 'runs in a task session of its own that is closed, under the name of the case'],
  'test_cases[].turns[].input': [runs, 'is one session, in order, and told as a whole with each of its turns'],
  'test_cases[].turns[].ground_truth': [runs, 'is one session, in order, and told as a whole with each of its turns'],
  'test_cases[].turns[].expected_tools[].name': [
    matches,
    'are found by part of their name, capitals included, in any order and among others',
  ],
  'test_cases[].turns[].expected_tools[].args': [matches, 'want their arguments in one call, not spread over several'],
  'test_cases[].turns[].expected_tools[].count': [matches, 'count at least so often'],
  'test_cases[].turns[].files[].path': files,
  'test_cases[].turns[].files[].type': files,
  'test_cases[].turns[].files[].description': files,
  'test_cases[].turns[].evaluations': [
    runs,
    'of the message win over those of the case, and those over the agent’s, whole',
  ],
  'test_cases[].turns[].turn_config': [
    `${engine}/config/resolve/resolve-tests.test.ts`,
    'say that turn_config reaches nobody yet',
  ],
  'test_cases[].ground_truth': [runs, 'fails by the default comparison when its ground truth is not in the answer'],
  'test_cases[].expected_tools': [runs, 'fails when an expected tool was not called, and passes when it was'],
  'test_cases[].files': files,
  'test_cases[].evaluations': [runs, 'of the message win over those of the case, and those over the agent’s, whole'],
  test_cases_file: [
    `${engine}/config/resolve/resolve-tests.test.ts`,
    'may lie in a file of their own, as a list or below test_cases',
  ],
  'execution.llm_timeout': [
    `${engine}/sessions/turns/turn-timeout.test.ts`,
    'timeout exceeded: ends as timeout, says which limit it was, and the session goes on',
  ],
  'execution.parallel_test_cases': [
    runs,
    'works on as many cases at once as it may, and tells them in the order of the file',
  ],
  extends: [`${engine}/config/merge/read-extended.test.ts`, 'merges maps, replaces lists and clears with null'],
  allow_outside: [`${engine}/config/yaml/project-path.test.ts`, 'may be left when the file says so'],
  'observability.service_name': traces,
  'observability.resource_attributes': traces,
  'observability.exporters.otlp.headers': traces,
  'observability.exporters.otlp.compression': traces,
}
