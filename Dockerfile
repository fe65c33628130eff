# Build with everything, run with what the server needs.
FROM node:22-slim AS build
WORKDIR /app
ENV PRISMA_SCHEMA_ENGINE_BINARY=/usr/local/bin/node
COPY package.json package-lock.json .npmrc ./
# Optional packages are the embedded PostgreSQL: an image is given a database.
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN node_modules/.bin/prisma generate \
 && node_modules/.bin/buf generate \
 && node_modules/.bin/swc src -d dist --strip-leading-paths --quiet --ignore '**/*.{spec,fake}.ts'

FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps LISTEN_HOST=0.0.0.0
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY bin bin
COPY prisma prisma
COPY tools/db.mjs tools/pg.mjs tools/schema-engine.mjs tools/
RUN install -d -o node -g node /var/lib/quorate
USER node
EXPOSE 8080 8081 8443
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT ?? 8080}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
