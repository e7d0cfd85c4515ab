/**
 * Messages of providers for a prompt that is too long, all observed in practice. There is no common code: OpenAI has
 * `context_length_exceeded`, llama.cpp `exceed_context_size_error`, the others only a message, mostly with status 400.
 */
const PATTERNS: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic: "prompt is too long: 208310 tokens > 200000 maximum"; Fireworks
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic
  /input is too long for requested model/i, // Bedrock
  /exceeds? the context window/i, // OpenAI: "Your input exceeds the context window of this model"
  /maximum context length/i, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral: "This model's maximum context length is …"
  /context[_ ]length[_ ]exceeded/i, // OpenAI, Groq: in `code`
  /exceed_context_size_error|exceeds the available context size/i, // llama.cpp
  /reduce the length of the messages/i, // Groq
  /input token count .{0,40}exceeds the maximum/i, // Gemini
  /maximum prompt length is \d+/i, // xAI
  /too large for model with \d+ maximum context/i, // Mistral
  /`inputs` tokens \+ `max_new_tokens` must be/i, // Together, text-generation-inference
  /prompt too long; exceeded max context length|(input|prompt) (length )?(exceeds|is longer than) the context length/i, // Ollama
  /exceeded model token limit/i, // Moonshot
  /context window exceeds limit/i, // MiniMax
  /prompt exceeds max length/i, // Zhipu
  /range of input length should be/i, // Alibaba
  /too many tokens: total number of tokens in the prompt/i, // Cohere
  /greater than the context length/i, // LM Studio
];

/** True if an error of a provider (code and message in one text) means that the request was too long. */
export function saysContextOverflow(text: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(text));
}
