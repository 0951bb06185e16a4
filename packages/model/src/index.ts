// The gateway to a provider, and the codecs of provider wire formats.
export { createModelRequestAdmission } from './gateway/admission/create-model-request-admission.ts'
export { createModelGateway } from './gateway/create-model-gateway.ts'
export type { GatewayUpstream, ModelGateway, ModelGatewayOptions } from './gateway/model-gateway.ts'
export { createModelTraffic } from './gateway/model-traffic.ts'
export { closeServer, listenOnLoopback } from './loopback-server.ts'
export { modelFamily, type ProviderLimits, rateTiers } from './provider-limits.ts'
export { errorTypeOfStatus } from './wire/anthropic/error-body.ts'
export {
  type AssistantMessage,
  type MessageBlock,
  messageBody,
  messageEvents,
  StopReason,
} from './wire/anthropic/message.ts'
export {
  type ContentBlock,
  CountTokensRequest,
  describeRequestProblem,
  type MessageParam,
  MessagesRequest,
  type ToolParam,
} from './wire/anthropic/messages-request.ts'
export { type ApiErrorReply, sendApiError } from './wire/anthropic/send-api-error.ts'
export { addUsage, countedInput, noUsage, toWireUsage, usageOf } from './wire/anthropic/usage.ts'
export { completionBody, completionChunks } from './wire/openai/chat-completion.ts'
export { ChatRequest } from './wire/openai/chat-request.ts'
export { EmbeddingsRequest, inputsOf } from './wire/openai/embeddings-request.ts'
export { type OpenAiFlavour, openAiErrorBody } from './wire/openai/error-body.ts'
export { toMessagesRequest } from './wire/openai/to-messages-request.ts'
export { encodeSseFrame } from './wire/sse-frame.ts'
