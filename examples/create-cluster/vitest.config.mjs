// In this repository kubeberth is the folder dist/, which Vite would treat as sources. An installed package does not need `server`.
export default {
  test: { include: ['*.test.mjs'], server: { deps: { external: [/\/dist\//] } } },
}
