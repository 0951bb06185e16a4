export function AnalysisPage() {
  return null
}
