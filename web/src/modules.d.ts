declare module "*.vert" { const text: string; export default text }
declare module "*.frag" { const text: string; export default text }
