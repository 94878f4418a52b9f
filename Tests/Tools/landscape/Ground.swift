/// The appearance of the ground: rock, snow, meadow and forest in sunlight.
struct Ground: Sendable {
    let terrain: Terrain
    let sky: Sky
    let sun: SunMap

    private var noise: Noise { terrain.noise }

    /// The point where a ray hits the ground.
    struct Hit {
        var x: Double
        var z: Double
        /// The height of the visible point, including trees.
        var height: Double
        /// The size of a pixel there, in meters.
        var footprint: Double
        var forest: Double
        /// The relative height of the point in its tree, from 0 to 1.
        var tip: Double
    }

    /// Returns the light from a point that reaches the camera through the air.
    func color(_ hit: Hit) -> Color {
        let reach = max(hit.footprint, 0.6)
        let here = terrain.height(hit.x, hit.z, detail: reach)
        let dx = (terrain.height(hit.x + reach, hit.z, detail: reach) - here) / reach
        let dz = (terrain.height(hit.x, hit.z + reach, detail: reach) - here) / reach
        let up = 1 / (1 + dx * dx + dz * dz).squareRoot()
        let fine = noise.octaves(5, hit.x / 19 + 80, hit.z / 19 + 60)

        var albedo = bare(hit, up: up, here: here, fine: fine)
        var facing = (x: -dx * up, y: up, z: -dz * up)
        if hit.forest > 0 {
            let wood = wood(hit, fine: fine)
            // Distant forests fade into their mean color, because trees are smaller than pixels.
            albedo = albedo.mixed(wood, hit.tip > 0 ? 1 : smoothstep(0, 0.45, hit.forest))
            let round = hit.tip > 0 ? 0.6 : 0.5 * hit.forest
            let turn = noise.sample(hit.x / 1.9, hit.z / 1.9)
            facing.x += round * max(min(turn.dx, 1.2), -1.2)
            facing.z += round * max(min(turn.dy, 1.2), -1.2)
        }
        let direction = SunMap.direction
        let cosine = max(facing.x * direction.x + facing.y * direction.y + facing.z * direction.z, 0)
        let seen = sun.light(hit.x, hit.z, height: hit.height)
        let open = sun.ambient(hit.x, hit.z)
        let light =
            Sky.sun * (cosine * seen) + Sky.ambient * ((0.45 + 0.55 * up) * open)
            + Color(0.16, 0.12, 0.08) * (0.35 * open)
        let distance = (hit.x * hit.x + hit.z * hit.z).squareRoot()
        return sky.haze(albedo * light, hit.x / hit.z, distance: distance, height: hit.height)
    }

    /// Returns the color of the ground without trees.
    private func bare(_ hit: Hit, up: Double, here: Double, fine: Double) -> Color {
        let broad = terrain.patch(hit.x, hit.z)
        // Tilted, wavy layers, as in folded limestone.
        let layer = noise.octaves(2, here / 21 + 0.02 * hit.x + 9 * broad, hit.x / 260 + 2 * fine)
        let rock = Color(0.105, 0.103, 0.102).mixed(
            Color(0.295, 0.278, 0.262), smoothstep(0.22, 0.78, 0.5 * layer + 0.5 * fine))
        let meadow =
            Color(0.075, 0.105, 0.030).mixed(Color(0.190, 0.165, 0.062), 1.6 * broad - 0.25)
            * (0.65 + 0.7 * fine)
        let scree = Color(0.21, 0.20, 0.188) * (0.55 + 0.9 * fine)

        let green =
            smoothstep(0.62, 0.80, up + 0.22 * (fine - 0.5))
            * smoothstep(1400, 900, here + 500 * (broad - 0.5))
        var ground = rock.mixed(scree, 0.7 * smoothstep(0.66, 0.82, up)).mixed(meadow, green)
        let beach = smoothstep(5, 1.5, here + 3 * (fine - 0.5))
        ground = ground.mixed(Color(0.30, 0.27, 0.22) * (0.6 + 0.8 * fine), beach)

        let line = 1320 + 560 * (broad - 0.5) + 160 * (fine - 0.5)
        let lies = smoothstep(0.50, 0.66, up + 0.16 * (fine - 0.5) + 0.05 * smoothstep(1500, 2600, here))
        let snow = smoothstep(line - 60, line + 260, here) * lies
        return ground.mixed(Color(0.86, 0.89, 0.94) * (0.93 + 0.1 * fine), snow)
    }

    /// Returns the color of conifers: dark between the trunks, lighter at the tips, varying between groups.
    private func wood(_ hit: Hit, fine: Double) -> Color {
        let stand = noise.octaves(3, hit.x / 140 + 50, hit.z / 140 + 10)
        let green = Color(0.022, 0.044, 0.016).mixed(Color(0.075, 0.085, 0.022), 1.7 * stand - 0.35)
        let near = smoothstep(4.5, 1.2, hit.footprint)
        let needles = hit.footprint < 0.8 ? noise.octaves(2, hit.x * 2.1, hit.height * 1.7) : 0.5
        let light = (0.30 + 1.25 * hit.tip) * (0.65 + 0.7 * needles)
        return green * (near * light + (1 - near) * (0.55 + 0.9 * fine))
    }
}
