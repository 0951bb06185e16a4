/** What went wrong, in a sentence for the model that holds nothing it may not know. */
export class ToolFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ToolFailure'
  }
}
