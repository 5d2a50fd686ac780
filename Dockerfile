# The image of api, worker and migrate; the target `trial` holds the payment simulator too. docker-compose.yml names the
# command.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --workspaces=false
COPY . .
# Of lucide-static only single icons are read.
RUN rm -r packages node_modules/lucide-static/dist node_modules/lucide-static/font && npm run build

FROM node:24.21.0-bookworm-slim AS trial
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/simulator/package.json packages/simulator/
RUN npm ci --omit=dev --workspace=packages/simulator --include-workspace-root
COPY . .
USER node
STOPSIGNAL SIGTERM
EXPOSE 3100
CMD ["node", "packages/simulator/main.ts"]

# The last stage is what a build without a target makes.
FROM node:24.21.0-bookworm-slim AS production
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/dist/compile-cache
WORKDIR /app
COPY --from=build /app ./
USER node
STOPSIGNAL SIGTERM
EXPOSE 3000 9464
CMD ["node", "api/main.ts"]
