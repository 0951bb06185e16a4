// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
// Files that set every field once.

export const wholeAgent = `name: whole
description: Says everything
author: Somebody
extends: base.yaml
model:
  provider: azure_openai
  name: chat
  endpoint: https://x.openai.azure.com
  api_key: \${AZURE_KEY}
  api_version: "2024-10-21"
  auth_provider: api_key
  max_tokens: 900
  temperature: 0.3
  top_p: 0.9
backend: loop
model_source: provider
gateway: on
instructions: {file: prompts/system.md}
response_format:
  type: object
  properties: {answer: {type: string}}
  required: [answer]
claude:
  working_directory: .
  permission_mode: manual
  max_turns: 9
  max_budget_usd: 2
  extended_thinking: {enabled: true, budget_tokens: 2000}
  effort: high
  web_search: false
  bash: {enabled: false, excluded_commands: [rm], allow_unsafe: false}
  file_system: {read: false, write: false, edit: false}
  subagents: {enabled: false, max_parallel: 2}
  agents: {}
  allowed_tools: [lookup]
  disallowed_tools: [Bash]
  fallback_model: low
  setting_sources: []
  max_concurrent_sessions: 3
  disable_subprocess_env_scrub: false
  i_understand_this_is_unsafe: false
openai:
  max_turns: 8
  max_budget_usd: 1
  effort: max
  fallback_model: chat-small
  disallowed_tools: [shout]
  permissions: {allowed_tools: [lookup, docs], disallowed_tools: [whisper]}
embedding_provider:
  provider: ollama
  name: nomic-embed-text
  endpoint: http://127.0.0.1:11434
  api_key: \${OLLAMA_KEY:-none}
  api_version: "1"
  max_tokens: 5
  temperature: 0
  top_p: 1
tool_filtering:
  enabled: true
  top_k: 4
  similarity_threshold: 0.1
  always_include: [lookup]
  always_include_top_n_used: 2
  search_method: bm25
tools:
  - type: function
    name: lookup
    description: Looks an order up
    critical: true
    defer_loading: true
    file: tools/lookup.ts
    function: lookup
    parameters: {order: {type: string, description: Its number}}
    env: {SHOP_TOKEN: "\${SHOP_TOKEN}", REGION: eu}
    timeout: 5
  - type: mcp
    name: notes
    description: Notes
    transport: stdio
    command: node
    args: [./servers/notes.mjs, --verbose]
    cwd: servers
    env: [NOTES_TOKEN]
    env_file: servers/notes.env
    encoding: utf-8
    config: {depth: 2}
    timeout: 3
    request_timeout: 4.5
    load_tools: true
    load_prompts: false
    allowed_tools: [add]
    disallowed_tools: [remove]
    is_retrieval: true
    registry_name: io.example/notes
    on_failure: warn
  - type: mcp
    name: remote
    transport: http
    url: https://mcp.example.com/mcp
    headers: {Authorization: "Bearer \${REMOTE_TOKEN}", X-Team: blue}
    terminate_on_close: false
  - type: mcp
    name: inside
    transport: in_process
    file: servers/inside.ts
    function: createServer
  - type: prompt
    name: shout
    description: Shouts
    template: "Shout {{text}}"
    parameters: {type: object, properties: {text: {type: string}}, required: [text]}
    model: {provider: azure_openai, name: chat-small, max_tokens: 50, temperature: 1}
  - type: prompt
    name: whisper
    description: Whispers
    file: prompts/whisper.md
    parameters: {text: {type: string}}
  - type: client
    name: pick_colour
    description: Asks for a colour
    parameters: {shade: {type: string, default: red}}
  - type: skill
    name: refunds
    folder: skills/refunds
  - type: vectorstore
    name: products
    description: Products
    source: data/products.csv
    vector_field: [title, text]
    id_field: sku
    meta_fields: [price]
    record_path: items
    record_prefix: "r_"
    meta_prefix: "m_"
    field_separator: " | "
    delimiter: ";"
    chunk_size: 200
    chunk_overlap: 20
    embedding_model: nomic-embed-text
    embedding_dimensions: 256
    database: {provider: in-memory}
    top_k: 3
    min_similarity_score: 0.2
    on_failure: warn
  - type: hierarchical_document
    name: docs
    description: The handbook
    source: data/**/*.md
    chunking_strategy: token
    max_chunk_tokens: 400
    chunk_overlap: 40
    document_domain: none
    max_subsection_depth: 2
    search_mode: hybrid
    top_k: 7
    min_score: 0.1
    semantic_weight: 0.4
    keyword_weight: 0.4
    exact_weight: 0.2
    rrf_k: 50
    contextual_embeddings: false
    extract_definitions: false
    extract_cross_references: false
    enable_reranking: false
    embedding_model: nomic-embed-text
    database: {provider: sqlite}
    keyword_index: {provider: in-memory}
    on_failure: error
hooks:
  - {event: PreToolUse, matcher: "lookup|docs.*", action: log}
  - {event: PreToolUse, matcher: shout, action: reject, message: Not here.}
  - {event: PreToolUse, action: modify, input: {region: eu}}
  - event: PostToolUse
    action: script
    command: ./hooks/note.sh
    args: [--short]
    env: {HOOK_TOKEN: "\${HOOK_TOKEN}"}
    timeout: 2
limits: {max_turns: 30, max_budget_usd: 3, max_duration: 10m, units_per_day: 1000000}
approvals: {allow: [lookup, "mcp__notes__*"], deny: [shout], expires_after: 1h}
workspace: {mode: shared}
on_crash: wait
starters: [Where is my order?]
evaluations:
  model: {provider: openai, name: gpt-5, api_key: "\${JUDGE_KEY}"}
  metrics:
    - {type: standard, metric: equality, threshold: 1, enabled: true, fail_on_error: true, case_insensitive: true, strip_whitespace: true, strip_punctuation: true, response_path: "answer.parts[0]"}
    - {metric: contains}
    - {metric: numeric, absolute_tolerance: 0.1, relative_tolerance: 0.2, accept_percent: true, accept_thousands_separators: true}
    - {metric: relevance, scale: 5, retry_on_failure: 2, timeout_ms: 1000, custom_prompt: Judge., model: {provider: openai, name: gpt-5}}
    - {type: geval, name: polite, criteria: Is it polite?, evaluation_steps: [Read], evaluation_params: [input, actual_output], strict_mode: true, threshold: 0.5}
    - {type: rag, metric_type: faithfulness, threshold: 0.7, include_reason: false}
    - {type: code, grader: "graders.check:polite", name: own, threshold: 0.5, enabled: false}
test_cases:
  - name: one message
    input: Where is order 7?
    ground_truth: On its way
    expected_tools:
      - lookup
      - {name: docs, args: {query: {fuzzy: Order 7}, limit: 3, place: {regex: "e[ux]"}}, count: 2}
    files: [{path: data/receipt.png, type: image, description: The receipt}]
    retrieval_context: [Orders take three days.]
    evaluations: [{metric: equality}]
  - name: a conversation
    turns:
      - {input: Hi, ground_truth: Hello, expected_tools: [lookup], files: [{path: data/note.txt, type: text}], retrieval_context: [a], evaluations: [{metric: contains}], turn_config: {strict: true}}
      - {input: Bye}
execution: {llm_timeout: 45, parallel_test_cases: 2, verbose: true, quiet: false}
allow_outside: false
`

export const wholeConfig = `model_source: auto
gateway: {enabled: true}
models: {gpt-5: {price: {input: 1, output: 2, cache_read: 0.1, cache_write: 1}, tier: high}}
providers:
  openai: {name: gpt-5, api_key: "\${OPENAI_API_KEY}", endpoint: http://127.0.0.1:9/v1, temperature: 0.2}
  company: {provider: azure_openai, endpoint: https://x.openai.azure.com}
vectorstores:
  own: {provider: in-memory}
  warehouse: {provider: postgres, connection_string: "\${WAREHOUSE:-none}", options: {schema: a}}
mcp_servers:
  - {name: clock, command: node, args: [clock.mjs]}
execution: {llm_timeout: 30}
rate_limit_tier: 2
`
