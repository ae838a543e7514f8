program app
