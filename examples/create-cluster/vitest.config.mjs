// In this repository kubeberth is its own dist/ folder, which Vite would take for sources; installed as a package it needs no second line.
export default {
  test: { include: ['*.test.mjs'], server: { deps: { external: [/\/dist\//] } } },
}
