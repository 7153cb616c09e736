export function TimePage() {
  return <main class="page" />
}
